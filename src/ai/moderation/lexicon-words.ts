import type { ModerationCategory } from "./categories.ts";

/** Words and phrases, with commas between them. A strong one says much by itself; mild ones are also said for other reasons. */
interface Words {
  strong?: string;
  mild?: string;
}
type Lexicon = Partial<Record<ModerationCategory, Words>>;

/**
 * The words of the built-in engine, in lower case, by language. The list is short on purpose: it finds what is said plainly, and no hints. Slurs are left out: which
 * words are ones depends on who says them. A category without words is not judged.
 */
export const WORDS: Record<string, Lexicon> = {
  en: {
    harassment: {
      strong: "kill yourself, you are worthless, nobody likes you, piece of shit, fuck you, go to hell and die",
      mild: "idiot, idiots, moron, morons, loser, losers, stupid bitch, bastard, asshole, shut up, pathetic",
    },
    "harassment/threatening": {
      strong: "i will kill you, i'll kill you, i'm going to kill you, i am going to kill you, i will find you and",
      mild: "you will regret this, i will hurt you, i'll hurt you, watch your back, i know where you live",
    },
    hate: {
      strong:
        "heil hitler, sieg heil, white power, racial purity, ethnic cleansing, death to all, gas the jews, master race",
      mild: "subhuman, subhumans, vermin, go back to your country, inferior race, master race theory",
    },
    illicit: {
      strong:
        "buy cocaine, sell cocaine, buy heroin, sell heroin, cook meth, cooking meth, stolen credit cards, fake passport, fake passports, launder money, money laundering",
      mild: "cocaine, heroin, meth, methamphetamine, crack cocaine, fentanyl, ecstasy pills, counterfeit, shoplifting, drug dealer, drug dealers",
    },
    "illicit/violent": {
      strong:
        "build a bomb, make a bomb, making a bomb, pipe bomb, pipe bombs, hire a hitman, nail bomb, molotov cocktail",
      mild: "bomb, bombs, explosives, ghost gun, ghost guns, hitman, detonator",
    },
    "self-harm": {
      strong:
        "kill myself, killed himself, killed herself, committed suicide, commit suicide, cut myself, cutting myself, slit my wrists, hang myself, hanged himself, hanged herself",
      mild: "suicide, suicidal, self harm, self-harm, overdose, anorexia, bulimia, starve myself",
    },
    "self-harm/intent": {
      strong:
        "i want to die, i want to kill myself, i'm going to kill myself, i am going to kill myself, i will kill myself, end my life, i don't want to live anymore, i want to end it all",
    },
    sexual: {
      strong:
        "porn, porno, pornography, blowjob, handjob, orgasm, masturbate, masturbating, masturbation, hardcore sex, threesome, anal sex, oral sex",
      mild: "sex, naked, nude, nudes, horny, erotic, penis, vagina, boobs, tits, strip club, stripper",
    },
    violence: {
      strong:
        "shot him dead, shot her dead, stabbed him, stabbed her, beat him to death, beat her to death, mass shooting, massacre, i will kill, we will kill",
      mild: "kill, killed, killing, murder, murdered, murderer, shoot, shooting, stab, stabbed, stabbing, strangled, torture, tortured, assault, blood, corpse, beaten",
    },
    "violence/graphic": {
      strong:
        "beheaded, beheading, decapitated, dismembered, disemboweled, guts spilled, skull cracked, brains on the, mutilated, gouged out, torn apart alive",
      mild: "gore, gory, severed, entrails, mutilation, blood everywhere, pool of blood",
    },
  },
  de: {
    harassment: {
      strong: "verpiss dich, fick dich, stück scheiße, du bist wertlos",
      mild: "idiot, idioten, arschloch, wichser, hurensohn, schlampe, versager",
    },
    "harassment/threatening": {
      strong: "ich bring dich um, ich bringe dich um, ich werde dich töten, ich mach dich fertig",
    },
    hate: {
      strong: "heil hitler, sieg heil, ausländer raus, juden raus, herrenrasse",
      mild: "untermensch, untermenschen, volksverräter",
    },
    illicit: { mild: "kokain, heroin, crystal meth, drogendealer, falschgeld, geldwäsche" },
    "illicit/violent": {
      strong: "bombe bauen, rohrbombe, rohrbomben, auftragskiller",
      mild: "bombe, bomben, sprengstoff",
    },
    "self-harm": {
      strong: "bringe mich um, mich umbringen, mich ritzen, erhängt sich, beging selbstmord",
      mild: "selbstmord, suizid, selbstverletzung, magersucht, überdosis",
    },
    "self-harm/intent": {
      strong: "ich will sterben, ich will nicht mehr leben, ich bringe mich um, ich werde mich umbringen",
    },
    sexual: {
      strong: "porno, pornos, pornografie, orgasmus, masturbieren, selbstbefriedigung",
      mild: "sex, nackt, erotisch, geil, brüste",
    },
    violence: {
      strong: "zu tode geprügelt, massaker, amoklauf, ich werde töten",
      mild: "töten, getötet, mord, ermordet, mörder, erschossen, erstochen, folter, gefoltert, leiche, blut",
    },
    "violence/graphic": {
      strong: "enthauptet, enthauptung, zerstückelt, verstümmelt, ausgeweidet",
      mild: "gedärme, blutlache",
    },
  },
  es: {
    harassment: {
      strong: "hijo de puta, vete a la mierda, no vales nada",
      mild: "idiota, idiotas, imbécil, imbéciles, cabrón, gilipollas, estúpida",
    },
    "harassment/threatening": { strong: "te voy a matar, te mataré, voy a matarte" },
    hate: {
      strong: "limpieza étnica, poder blanco, raza superior, muerte a los judíos",
      mild: "subhumano, subhumanos",
    },
    illicit: { mild: "cocaína, heroína, metanfetamina, narcotraficante, lavado de dinero, pasaporte falso" },
    "illicit/violent": {
      strong: "hacer una bomba, fabricar una bomba, bomba casera, sicario",
      mild: "bomba, bombas, explosivos",
    },
    "self-harm": {
      strong: "me voy a suicidar, quiero suicidarme, cortarme las venas, se ahorcó, se suicidó",
      mild: "suicidio, autolesión, autolesiones, anorexia, sobredosis",
    },
    "self-harm/intent": { strong: "quiero morir, quiero morirme, me voy a matar, no quiero vivir, quiero suicidarme" },
    sexual: {
      strong: "porno, pornografía, orgasmo, masturbarse, masturbación",
      mild: "sexo, desnudo, desnuda, erótico, tetas, polla",
    },
    violence: {
      strong: "masacre, tiroteo masivo, lo mató a golpes, la mató a golpes",
      mild: "matar, mató, asesinato, asesinado, asesino, disparó, apuñaló, apuñalado, tortura, torturado, cadáver, sangre",
    },
    "violence/graphic": {
      strong: "decapitado, decapitada, descuartizado, descuartizada, mutilado, mutilada, destripado",
      mild: "vísceras, charco de sangre",
    },
  },
  fr: {
    harassment: {
      strong: "va te faire foutre, fils de pute, ferme ta gueule, tu ne vaux rien",
      mild: "imbécile, imbéciles, connard, connards, connasse, salope, crétin, abruti",
    },
    "harassment/threatening": { strong: "je vais te tuer, je te tuerai, je vais te crever" },
    hate: {
      strong: "nettoyage ethnique, pouvoir blanc, race supérieure, mort aux juifs",
      mild: "sous-homme, sous-hommes",
    },
    illicit: { mild: "cocaïne, héroïne, méthamphétamine, trafic de drogue, blanchiment d'argent, faux passeport" },
    "illicit/violent": {
      strong: "fabriquer une bombe, faire une bombe, bombe artisanale, tueur à gages",
      mild: "bombe, bombes, explosifs",
    },
    "self-harm": {
      strong: "me suicider, s'est suicidé, s'est suicidée, me scarifier, m'ouvrir les veines, s'est pendu",
      mild: "suicide, automutilation, anorexie, surdose",
    },
    "self-harm/intent": { strong: "je veux mourir, je vais me tuer, je veux me suicider, je ne veux plus vivre" },
    sexual: {
      strong: "porno, pornographie, orgasme, masturber, masturbation, fellation",
      mild: "sexe, nue, érotique, seins",
    },
    violence: {
      strong: "massacre, battu à mort, battue à mort, fusillade de masse",
      mild: "tuer, tué, meurtre, assassiné, assassin, abattu, poignardé, poignarder, torture, torturé, cadavre, sang",
    },
    "violence/graphic": {
      strong: "décapité, décapitée, décapitation, démembré, mutilé, mutilée, éventré",
      mild: "entrailles, mare de sang",
    },
  },
  it: {
    harassment: {
      strong: "vaffanculo, figlio di puttana, pezzo di merda, non vali niente",
      mild: "idiota, idioti, stronzo, stronza, imbecille, imbecilli, puttana, coglione",
    },
    "harassment/threatening": { strong: "ti ammazzo, ti uccido, ti ucciderò, ti ammazzerò" },
    hate: { strong: "pulizia etnica, potere bianco, razza superiore, morte agli ebrei", mild: "subumano, subumani" },
    illicit: {
      mild: "cocaina, eroina, metanfetamina, spacciatore, spacciatori, riciclaggio di denaro, passaporto falso",
    },
    "illicit/violent": {
      strong: "costruire una bomba, fabbricare una bomba, bomba artigianale, sicario",
      mild: "bomba, bombe, esplosivi",
    },
    "self-harm": {
      strong: "suicidarmi, si è suicidato, si è suicidata, tagliarmi le vene, si è impiccato",
      mild: "suicidio, autolesionismo, anoressia, overdose",
    },
    "self-harm/intent": { strong: "voglio morire, voglio uccidermi, voglio suicidarmi, non voglio più vivere" },
    sexual: {
      strong: "porno, pornografia, orgasmo, masturbarsi, masturbazione",
      mild: "sesso, nudo, nuda, erotico, tette",
    },
    violence: {
      strong: "massacro, picchiato a morte, picchiata a morte, strage",
      mild: "uccidere, ucciso, uccisa, omicidio, assassinato, assassino, accoltellato, sparato, tortura, torturato, cadavere, sangue",
    },
    "violence/graphic": {
      strong: "decapitato, decapitata, decapitazione, smembrato, mutilato, mutilata, sventrato",
      mild: "viscere, pozza di sangue",
    },
  },
};
