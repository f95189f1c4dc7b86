/** The style of /docs: a file of its own, since the page may hold none. */
export const DOCS_STYLE = `:root{color-scheme:light dark;--ink:#14201e;--soft:#54635f;--line:#dde3df;--ground:#f6f8f6;--surface:#fff;--accent:#0b6b63;
--code:#10201d;--code-ink:#dcebe6;--get:#0b6b63;--post:#2458b3;--patch:#8a5a00;--delete:#b3261e;--bar:57px}
@media (prefers-color-scheme:dark){:root{--ink:#e6edea;--soft:#a3b2ad;--line:#2a3431;--ground:#0e1312;--surface:#171e1c;--accent:#5fcbb9;
--code:#0a0f0e;--code-ink:#cfe3dc;--get:#5fcbb9;--post:#8db4ff;--patch:#e6b450;--delete:#ff8a80}}
*{box-sizing:border-box}[hidden]{display:none!important}
html{scroll-padding-top:calc(var(--bar) + 12px)}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
a{color:var(--accent)}small,.soft{color:var(--soft)}small{font-size:13px;font-weight:400}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--surface);padding:8px;z-index:3}
header{position:sticky;top:0;z-index:2;display:flex;gap:20px;align-items:center;height:var(--bar);padding:0 24px;background:var(--surface);border-bottom:1px solid var(--line)}
header p{margin:0 0 0 auto;white-space:nowrap;font-size:14px}.brand{color:var(--ink);text-decoration:none;white-space:nowrap;font-size:18px}.brand b{color:var(--accent)}
.search{position:relative;flex:0 1 420px;min-width:0}.search span{position:absolute;left:-999px}
.search input{width:100%;font:inherit;font-size:15px;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:9px;padding:7px 36px 7px 12px}
.search kbd{position:absolute;right:10px;top:8px;color:var(--soft);border:1px solid var(--line);border-radius:4px;padding:0 6px}
.page{display:grid;grid-template-columns:300px minmax(0,1fr)}
nav{position:sticky;top:var(--bar);height:calc(100vh - var(--bar));overflow:auto;padding:12px 12px 40px 20px;border-right:1px solid var(--line);font-size:14px}
nav summary{display:none}nav h2{margin:18px 0 4px;font-size:13px;letter-spacing:.03em;text-transform:capitalize}nav h2 a{color:var(--soft);text-decoration:none}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:grid;grid-template-columns:52px 1fr;gap:6px;padding:4px 8px;border-radius:7px;color:inherit;text-decoration:none;line-height:1.35}
nav li a:hover{background:var(--surface)}nav>details>ul a{display:block}nav>details>ul{margin-top:18px}
.method{font:700 11px/1.6 ui-monospace,monospace;letter-spacing:.02em;color:var(--get)}.method.post{color:var(--post)}.method.patch,.method.put{color:var(--patch)}.method.delete{color:var(--delete)}
main{padding:8px 32px 120px;max-width:1400px}h1{margin:16px 0 4px;font-size:30px}h2{margin:44px 0 4px;font-size:24px}section>h2{text-transform:capitalize}
.introduction p{max-width:75ch}.introduction pre{max-width:75ch}
.operation{border-top:1px solid var(--line);padding:20px 0 12px}.operation h3{margin:0;font-size:19px}.operation h3 a{color:inherit;text-decoration:none}.operation h3 a:hover{text-decoration:underline}
.operation:target h3 a{color:var(--accent)}
.line{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;margin:6px 0 2px}.line .method{font-size:13px;border:1px solid currentColor;border-radius:6px;padding:0 8px}
.path{font-size:15px;overflow-wrap:anywhere}.access{font-size:13px;border:1px solid var(--line);border-radius:99px;padding:0 10px;color:var(--soft);background:var(--surface)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,480px);gap:12px 40px}.columns p{max-width:70ch}
h4{margin:18px 0 6px;font-size:14px}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{border-top:1px solid var(--line);padding:7px 14px 7px 0;vertical-align:top;text-align:left;font-weight:400}
th[scope=row]{width:34%;overflow-wrap:anywhere}td{overflow-wrap:anywhere}.answers th{width:64px!important;white-space:nowrap}
td code,p code,li code{background:color-mix(in srgb,var(--line) 55%,transparent);border-radius:4px;padding:1px 4px}
.status{font:600 13px ui-monospace,monospace;color:var(--get)}.status.bad{color:var(--delete)}
pre{margin:0;overflow:auto;max-height:420px;background:var(--code);color:var(--code-ink);padding:14px 16px;border-radius:10px;font-size:14px;line-height:1.5}
.schema{border-top:1px solid var(--line);padding:8px 0}.schema summary{cursor:pointer;padding:4px 0}
.searching .introduction,.searching #errors,.searching #schemas{display:none}
@media (max-width:1240px){.columns{grid-template-columns:minmax(0,1fr)}}
@media (max-width:900px){header{gap:12px;padding:0 16px}header p .soft,.search kbd{display:none}.search input{padding-right:12px}
.page{display:block}nav{position:static;height:auto;border:0;padding:8px 16px 0}nav summary{display:list-item;cursor:pointer;padding:8px 0;font-weight:600;border-bottom:1px solid var(--line)}
main{padding:0 16px 80px}th[scope=row]{width:40%}.brand{font-size:0}.brand b{font-size:18px}}
@media print{header,nav{display:none}.page{display:block}pre{max-height:none}}
`
