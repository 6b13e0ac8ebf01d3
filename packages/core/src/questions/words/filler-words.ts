/**
 * Words of everyday questions that are not a fact of a measurement. They are listed in the answer as ignored. A word that
 * may be a condition ("coding", "noise", "cheap shipping") does not belong here: it is rejected by name.
 */
export const fillerWords: ReadonlySet<string> = new Set(
  [
    'record once slow open source open-source opensource weights hey guys folks everyone anyone anybody someone somebody yo greetings thx cheers ok okay so well um hmm lol btw imo tbh pls plz',
    "i i'm im i've ive i'd id i'll me my mine myself you your you're we we're us our they them their he she it's its that's thats there's",
    "who's where's how's let's lets don't dont doesn't doesnt can't cant won't wasn't aren't isnt",
    'am been being had having does did done doing may might must shall should ought cannot able',
    'want wants wanted wanting need needs needed wish hope hoping think thinking thought know knows known wonder wondering ask asking asked determine calculate estimate',
    'looking look looks find finding found see seeing seen say says said consider considering considered decide deciding decided trying try tried',
    'buy buying bought purchase purchasing get getting got gotten gets grab pick picking choose choosing chose go going goes went recommend recommends recomended reccomended',
    'recommended recommendation recommendations suggest suggests suggestion suggestions advice advise help helps opinion opinions thoughts idea ideas',
    'self use uses using used run running runing ran runs serve serves serving served host hosting hosted deploy deploying deployed build building built',
    'handle handles handling support supports supported supporting work works working expect expecting expected achieve achieving reach reaching',
    'currently now right today just still really very quite pretty actually basically simply maybe perhaps probably possibly exactly only even also too',
    'already always usually ever anyway currently please kindly currently here there then thing things stuff kind sort type way ways case',
    'one ones option options choice choices something anything everything anyone overall general generally typical typically common about around roughly',
    'approximately approx among out up down off into onto possible available current good great nice',
    'ok decent reasonable usable solid cool real realistic realistically real-world actual numbers number figures figure benchmark benchmarks benchmarked',
    'measured measurement measurements test tests tested testing result data score scores leaderboard rankings ranking ranked',
    'if when while because since-then but though although because whether however both either neither each every all any some many much lot lots',
    'llm llms ai inference inferencing serving local locally home homelab self-hosted rig build machine machines server servers box pc desktop workstation',
    'computer hardware hw chip chips node instance cloud rent renting rented new used second-hand old these those this that such as like same',
    'owned owning own have has got question question: help: context: edit: tldr tl;dr thanks thank appreciate appreciated advance',
    'parameter parameters param params billion size sized class weights weight quantized quantised version instruct variant variants',
    'keep keeps stay stays method methods set setup settings set-up time times take takes taking long does make makes makes sense worth it sweet spot go-to goto daily production prod',
    'draw draws drawing consume consumes consuming eat eats pull pulls pulling full',
    'spend spending money pay paying people person team company startup office mac macs studio mini macbook air',
    'combo combination pair pairs together side  deliver delivers delivered yield yields offer offers provide provides produce produces show shows showing',
    'generate generates generating respond responds response responses stream streaming',
    'ram vram unified',
    'define defined definition explain explained meaning',
    'who whom whose why where which what how when else instead rather first next other others another is are was were be',
    'keeping meet meets meeting maintain maintains maintaining sustain sustains sustaining',
    "vllm's sglang's nvidia's amd's apple's",
  ]
    .join(' ')
    .split(' '),
);
