/** The style of a report, light and dark. */
export const reportStyle = `
:root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--soft:#59636e;--line:#dde1e6;--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8578a;--s4:#8a6100}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--ink:#e6e9ec;--soft:#9aa4ae;--line:#30363d;--s0:#4ba3dd;--s1:#f08a3c;--s2:#2bc79a;--s3:#e39cc4;--s4:#e69f00}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1240px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:1.6rem;margin:0 0 12px;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:36px 0 8px}
dl{display:flex;flex-wrap:wrap;gap:8px 28px;margin:0}
dt{color:var(--soft);font-size:.8rem}
dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;position:relative}
table{border-collapse:collapse;white-space:nowrap}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;font-weight:400}
thead th{color:var(--soft);font-size:.8rem;vertical-align:bottom}
thead small{display:block;font-size:.75rem}
th:first-child{text-align:left;padding-left:0}
a{color:var(--s0)}
.none{color:var(--soft)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.small{color:var(--soft);font-size:.85rem}
.notes{padding:8px 12px 8px 28px;border-left:3px solid var(--s1);margin:8px 0}
figure{margin:14px 0 0;min-width:0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 28px}
figcaption{font-size:.85rem;color:var(--soft)}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font-size:11px}
.grid{stroke:var(--line);fill:none}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}
.dots{fill:none;stroke-width:4.5;stroke-linecap:round;stroke-opacity:.65}
.marks{fill:none;stroke-width:6;stroke-linecap:round}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:2px 0;padding:0;font-size:.8rem}
.legend li::before{content:"";display:inline-block;width:18px;height:3px;margin-right:6px;vertical-align:middle;background:var(--s)}
path.s0{stroke:var(--s0)}path.s1{stroke:var(--s1)}path.s2{stroke:var(--s2)}path.s3{stroke:var(--s3)}path.s4{stroke:var(--s4)}
path.s1.line{stroke-dasharray:7 3}path.s2.line{stroke-dasharray:2 3}path.s3.line{stroke-dasharray:9 3 2 3}path.s4.line{stroke-dasharray:4 2}
li.s0{--s:var(--s0)}li.s1{--s:var(--s1)}li.s2{--s:var(--s2)}li.s3{--s:var(--s3)}li.s4{--s:var(--s4)}
@media (max-width:600px){th:first-child{white-space:normal;min-width:8.5rem}svg text{font-size:16px}svg .odd{display:none}.dots{stroke-width:6}.line{stroke-width:2.6}.marks{stroke-width:9}}
@media print{main{max-width:none}figure{break-inside:avoid}}
`.trim();
