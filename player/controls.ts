// These imports only define custom elements.
// oxlint-disable import/no-unassigned-import
import "media-chrome";
import "media-chrome/menu";

/** Builds the video element with its controls. All controls are keyboard-accessible. */
export function buildControls(title: string): { root: HTMLElement; video: HTMLVideoElement } {
  const template = document.createElement("template");
  template.innerHTML = `
    <media-controller class="player">
      <video slot="media" playsinline preload="auto"></video>
      <h1 slot="top-chrome" class="title"></h1>
      <span slot="top-chrome" class="latency" title="Time from capture to display" aria-live="off" noautohide></span>
      <media-loading-indicator slot="centered-chrome" noautohide></media-loading-indicator>
      <media-play-button slot="centered-chrome" class="big"></media-play-button>
      <media-error-dialog slot="dialog"></media-error-dialog>
      <media-settings-menu hidden anchor="auto">
        <media-settings-menu-item class="speed">Speed
          <media-playback-rate-menu slot="submenu" hidden rates="0.5 0.75 1 1.25 1.5 2"><div slot="title">Speed</div></media-playback-rate-menu>
        </media-settings-menu-item>
        <media-settings-menu-item class="quality">Quality
          <media-rendition-menu slot="submenu" hidden><div slot="title">Quality</div></media-rendition-menu>
        </media-settings-menu-item>
        <media-settings-menu-item class="sound">Sound
          <media-audio-track-menu slot="submenu" hidden><div slot="title">Sound</div></media-audio-track-menu>
        </media-settings-menu-item>
        <media-settings-menu-item class="captions">Captions
          <media-captions-menu slot="submenu" hidden><div slot="title">Captions</div></media-captions-menu>
        </media-settings-menu-item>
      </media-settings-menu>
      <media-control-bar class="timeline"><media-time-range></media-time-range></media-control-bar>
      <media-control-bar>
        <media-play-button></media-play-button>
        <media-seek-backward-button seekoffset="10"></media-seek-backward-button>
        <media-seek-forward-button seekoffset="10"></media-seek-forward-button>
        <media-mute-button></media-mute-button>
        <media-volume-range></media-volume-range>
        <media-live-button></media-live-button>
        <media-time-display showduration notoggle></media-time-display>
        <span class="room"></span>
        <media-captions-button></media-captions-button>
        <media-settings-menu-button></media-settings-menu-button>
        <media-pip-button></media-pip-button>
        <media-fullscreen-button></media-fullscreen-button>
      </media-control-bar>
    </media-controller>`;
  const root = template.content.firstElementChild;
  const video = root?.querySelector("video");
  if (!(root instanceof HTMLElement) || !video) throw new Error("The player template is invalid.");
  const heading = root.querySelector(".title");
  if (heading) heading.textContent = title; // as text, because titles are untrusted
  return { root, video };
}
