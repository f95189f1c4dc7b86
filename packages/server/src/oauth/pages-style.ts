/** What the pages of apps and tokens add to the style of all pages. */
export const APPS_STYLE = `
body.asks main { max-width: 460px; }
body.lists { align-content: start; }
body.lists main { max-width: 760px; }
h2 { margin: 20px 0 8px; font-size: 16px; font-weight: 640; overflow-wrap: anywhere; }
h1 { overflow-wrap: anywhere; }
.description { white-space: pre-line; }
.permissions { margin: 0 0 16px; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 9px; }
.permissions li { padding: 10px 14px 10px 38px; position: relative; }
.permissions li + li { border-top: 1px solid var(--line); }
.permissions li::before {
  content: ""; position: absolute; left: 15px; top: 15px; width: 6px; height: 11px;
  border: solid var(--accent); border-width: 0 2px 2px 0; transform: rotate(40deg);
}
.who { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 12px; overflow-wrap: anywhere; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.notice { padding: 10px 14px; border: 1px solid var(--line-strong); border-radius: 9px; }
.unseen { display: none; }
.problem { margin-bottom: 16px; }
button.quiet, .button.quiet { color: var(--ink); background: transparent; border-color: var(--line-strong); }
button.quiet:hover, .button.quiet:hover { background: var(--ground); color: var(--ink); }
button.danger { color: var(--bad); background: transparent; border-color: var(--bad); }
button.danger:hover { background: var(--bad-soft); }
button.link {
  min-height: 44px; padding: 0 4px; color: var(--accent); background: none; border: 0;
  font-weight: 400; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px;
}
button.link:hover { background: none; color: var(--accent-strong); }
.button {
  display: inline-grid; place-items: center; min-height: 44px; padding: 8px 16px; font-weight: 600; text-decoration: none;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 9px;
}
.button:hover { color: var(--on-accent); background: var(--accent-strong); }
input.code, textarea.code, .shown, code { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace; }
input.code { text-transform: uppercase; letter-spacing: 0.12em; font-size: 20px; }
.shown { letter-spacing: 0.08em; white-space: nowrap; color: var(--ink); }
code { font-size: 0.92em; overflow-wrap: anywhere; }
nav.pages { display: flex; flex-wrap: wrap; justify-content: center; gap: 4px 20px; }
nav.pages a { display: inline-grid; place-items: center; min-height: 44px; }
nav.pages a[aria-current] { color: var(--ink); font-weight: 640; text-decoration: none; }
.items { margin: 20px 0 0; padding: 0; list-style: none; }
.item { display: flex; align-items: center; justify-content: space-between; gap: 8px 20px; padding: 14px 0; border-top: 1px solid var(--line); }
.item > div { min-width: 0; }
.item h2 { margin: 0 0 2px; }
.item p { margin: 0; }
p.facts { font-size: 14px; }
form.action { margin: 0; flex: none; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 24px; }
dl.facts { margin: 0; }
dl.facts div { display: grid; grid-template-columns: 110px 1fr; gap: 12px; padding: 6px 0; }
dl.facts dt { color: var(--ink-2); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.panel { margin: 20px 0; padding: 20px; border: 1px solid var(--line); border-radius: 12px; }
.panel h2 { margin: 0; }
fieldset { margin: 0; padding: 0; border: 0; display: grid; gap: 10px; }
legend { padding: 0; margin-bottom: 6px; font-weight: 560; font-size: 15px; }
label.choice { grid-template-columns: auto 1fr; align-items: start; gap: 10px; font-weight: 400; min-height: 44px; }
label.choice input { width: 20px; min-height: 20px; margin: 2px 0 0; accent-color: var(--accent); }
label.choice span { font-size: 15px; }
label.choice strong { color: var(--ink); }
select, textarea {
  width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; font-weight: 400; color: inherit;
  background: var(--ground); border: 1px solid var(--line-strong); border-radius: 9px;
}
textarea { resize: vertical; }
textarea.code { font-size: 15px; }
[aria-invalid] { border-color: var(--bad); }
.once { margin: 12px 0 20px; padding: 14px; border: 2px solid var(--accent); border-radius: 12px; }
.once p { margin: 0 0 8px; }
.secret { display: block; padding: 10px 12px; background: var(--ground); border-radius: 9px; user-select: all; }
ul.problem { list-style: none; display: grid; gap: 8px; overflow-wrap: anywhere; }
.said { margin-top: 12px; padding: 10px 14px; border: 1px solid var(--accent); border-radius: 9px; color: var(--ink); }
h2.alarming { color: var(--bad); }
.qr img { display: block; padding: 10px; background: #fff; border: 1px solid var(--line); border-radius: 12px; image-rendering: pixelated; }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 8px; margin: 20px 0 0; padding: 0; list-style: none; }
.codes code { display: block; padding: 8px 12px; background: var(--ground); border-radius: 9px; }
a.button { flex: none; }
input[readonly] { color: var(--ink-2); }
.empty { margin-top: 20px; padding: 20px; text-align: center; border: 1px dashed var(--line-strong); border-radius: 12px; }
@media (max-width: 560px) {
  .item { flex-direction: column; align-items: stretch; }
  .item button { width: 100%; }
  .panel { padding: 16px; }
  main { padding: 22px 18px; }
}
`.trimStart()
