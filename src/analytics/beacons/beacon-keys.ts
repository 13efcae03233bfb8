/** The keys of beacons and the types of their fields (media contract, analytics: the beacon words). Pure. */
import { memoise } from "../../platform/memoise.ts";

const listOf = (text: string): string[] => text.trim().split(/\s+/);

/** Each word of a field's name by its two-letter code. `fp` stands for the SDK's brand. */
const WORDS = new Map(
  listOf(`
    ad=ad ag=aggregate ai=api ap=application ar=architecture as=asset au=autoplay av=avg be=beacon bi=bitrate bk=break
    br=browser by=bytes ca=cancel cc=codec cd=code ce=counter cf=config cg=category ch=changed ci=connection ck=clicked
    cl=canceled cm=custom cn=cdn co=count cp=complete cr=creative cs=continuous ct=content cu=current cx=context
    de=device dg=downscaling dm=drm dn=domain do=downscale dr=dropped du=duration ec=errorcode ed=end eg=edge ei=engine
    em=embed eo=encoding ep=expiry er=error es=experiments et=errortext ev=event ex=experiment fa=failed fi=first
    fl=fullscreen fm=format fp=brand fq=frequency fr=frame fs=fps fy=family ha=has hb=holdback hn=hostname ho=host
    hs=headers ht=height id=id il=internal in=instance ip=ip is=is it=init ke=key lb=labeled ld=loaded le=level li=live
    ln=language lo=load ls=lists lt=latency ma=max me=media mf=manifest mi=mime ml=midroll mn=min mo=model
    mr=manufacturer ms=message na=name ne=newest nu=number on=on os=os pa=page pb=playback pd=producer pe=preroll
    pg=percentage ph=playhead pi=plugin pl=player pm=program pn=playing po=poster pp=property pr=preload ps=position
    pt=part pu=paused py=played ra=ratio rb=rebuffer rd=requested re=rate rl=resolution rm=remote rn=rendition
    rp=response rq=request rs=requests sa=sample sd=sdk se=seek sk=skipped sm=stream sn=session so=source sp=startup
    sq=sequence sr=series st=start su=sub sv=server sw=software ta=tag tc=tech te=text tg=target th=throughput ti=time
    tl=total to=to tp=timestamp tt=title ty=type ud=used ug=upscaling un=universal up=upscale ur=url us=user va=variant
    vd=video ve=view vi=viewer vn=version vw=viewed wa=watch wg=waiting ws=workspace wt=width
  `).map((pair) => pair.split("=") as [string, string]),
);

/** Milliseconds, epoch milliseconds, pixels, bits per second, fractions and counts. */
const NUMBERS = new Set(
  listOf(`
    brand_sample_number live_stream_latency page_load_time player_height player_init_time player_playhead_time player_sequence_number
    player_startup_time player_view_count player_width request_bytes_loaded request_error_code request_response_end
    request_response_start request_start request_video_height request_video_width session_expiry_time session_start
    video_duration video_source_bitrate video_source_duration video_source_fps video_source_height video_source_width
    view_aggregate_startup_time view_avg_request_latency view_avg_request_throughput view_content_playback_time
    view_dropped_frame_count view_max_downscale_percentage view_max_playhead_position view_max_request_latency
    view_max_seek_time view_max_upscale_percentage view_min_request_throughput view_rebuffer_count
    view_rebuffer_duration view_rebuffer_frequency view_rebuffer_percentage view_request_canceled_count
    view_request_count view_request_failed_count view_seek_count view_seek_duration view_sequence_number view_start
    view_time_to_first_frame view_total_content_playback_time view_total_downscaling view_total_upscaling
    view_watch_time viewer_timestamp
  `),
);

const BOOLEANS = new Set(
  listOf(`
    player_autoplay_on player_is_fullscreen player_is_paused player_preload_on player_remote_played video_source_is_live
  `),
);

export type FieldType = "number" | "boolean" | "text";

export function typeOfField(field: string): FieldType {
  if (NUMBERS.has(field)) return "number";
  return BOOLEANS.has(field) ? "boolean" : "text";
}

/** A code of two letters with the digits after it, digits alone, or an unknown word between underscores. */
const TOKEN = /_([^_]+)_|([a-z]{2})(\d*)|(\d+)/gy;

/**
 * The name of a field from its key: `plphti` → `player_playhead_time`, `cm10` → `custom_10`, `vd_chapter_nu` → `video_chapter_number`.
 *
 * @returns null for a key that is not made of known codes
 */
export const fieldOfKey = (key: string): string | null =>
  key.length > MAX_REMEMBERED_LENGTH ? nameOf(key) : rememberedName(key);

/** Size of the cache: players send a few hundred different keys, but anybody can send others. */
const [MAX_REMEMBERED_LENGTH, MAX_REMEMBERED] = [64, 2000];
const rememberedName = memoise(nameOf, MAX_REMEMBERED);

function nameOf(key: string): string | null {
  const words: string[] = [];
  let end = 0;
  for (const match of key.matchAll(TOKEN)) {
    const [token, unknown, code, digits, number] = match;
    const word = code === undefined ? (unknown ?? number) : WORDS.get(code);
    if (word === undefined) return null;
    words.push(word);
    if (digits !== undefined && digits !== "") words.push(digits);
    end = match.index + token.length;
  }
  return end === key.length && end > 0 ? words.join("_") : null;
}
