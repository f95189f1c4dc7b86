import type { Report, ReportedCase } from './report.js'

const STYLE = `
:root { color-scheme: light dark; --ok: #1a7f4b; --bad: #c0262d; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
.about { opacity: .75; margin: .25rem 0 1.5rem; overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; }
.tile { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1.1rem; min-width: 11rem; }
.tile strong { display: block; font-size: 1.4rem; }
.tile.ok strong { color: var(--ok); }
.tile.bad strong { color: var(--bad); }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem .9rem; display: flex; gap: .75rem; align-items: baseline; }
summary .name { font-weight: 600; flex: 1; }
summary .count { opacity: .75; font-variant-numeric: tabular-nums; }
.mark { font-weight: 700; width: 1.1em; flex: none; }
.ok .mark, .mark.ok { color: var(--ok); }
.bad .mark, .mark.bad { color: var(--bad); }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
li { display: grid; grid-template-columns: 1.4em 1fr auto; gap: 0 .5rem; padding: .5rem .9rem; border-top: 1px solid var(--line); }
li:first-child { border-top: 0; }
li .id, li .ms { opacity: .7; font-size: .85em; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
li .id { grid-column: 2; }
li .ms { grid-column: 3; grid-row: 1; }
pre { grid-column: 2 / -1; margin: .4rem 0 0; padding: .6rem .8rem; background: var(--soft); border-left: 3px solid var(--bad);
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85em; }
.tag { font-size: .75em; border: 1px solid var(--line); border-radius: 1em; padding: 0 .6em; margin-left: .5em; opacity: .8; }
@media print { details:not([open]) > *:not(summary) { display: block; } }
`

/** The outcome as one page that needs nothing else: failures first, then every section with its cases. */
export function htmlReport(report: Report): string {
  const { subject, target, started_at, duration_ms, kit_version, groups, cases } = report
  const failed = cases.filter(({ passed }) => !passed)
  const verdict =
    failed.length === 0
      ? `The ${subject} keeps every rule that was tried`
      : `${failed.length} of ${cases.length} rules are not kept`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escape(target)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1><span class="mark ${failed.length === 0 ? 'ok' : 'bad'}">${failed.length === 0 ? '✓' : '✗'}</span> ${escape(verdict)}</h1>
<p class="about">${subject} at ${escape(target)} · ${escape(started_at)} · ${(duration_ms / 1000).toFixed(1)} s · printwarden-conformance ${escape(kit_version)}</p>
<div class="tiles">
${tile('contract', 'the specification itself', groups.contract)}
${tile('decisions', 'where the specification is silent', groups.decisions)}
</div>
${failed.length === 0 ? '' : `<h2>Rules that are not kept</h2>\n<details open><summary><span class="name">Failed cases</span><span class="count">${failed.length}</span></summary><ul>${failed.map(item).join('\n')}</ul></details>`}
<h2>All rules, by section</h2>
${sectionsOf(cases).map(sectionHtml).join('\n')}
</body>
</html>
`
}

function tile(name: string, what: string, { passed, failed }: { passed: number; failed: number }): string {
  const total = passed + failed
  const words = total === 0 ? 'not tried' : `${passed} of ${total}`
  return `<div class="tile ${total === 0 ? '' : failed === 0 ? 'ok' : 'bad'}"><strong>${words}</strong>${name}<br><small>${what}</small></div>`
}

function sectionsOf(cases: readonly ReportedCase[]): [string, ReportedCase[]][] {
  const sections = new Map<string, ReportedCase[]>()
  for (const one of cases) sections.set(one.section, [...(sections.get(one.section) ?? []), one])
  return [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}

function sectionHtml([section, cases]: [string, ReportedCase[]]): string {
  const passed = cases.filter((one) => one.passed).length
  const ok = passed === cases.length
  return `<details class="${ok ? 'ok' : 'bad'}"><summary><span class="mark">${ok ? '✓' : '✗'}</span><span class="name">${escape(section)}</span><span class="count">${passed} of ${cases.length}</span></summary><ul>${cases.map(item).join('\n')}</ul></details>`
}

function item({ id, group, section, title, passed, duration_ms, error }: ReportedCase): string {
  const reason = error === undefined ? '' : `<pre>${escape(error)}</pre>`
  return `<li><span class="mark ${passed ? 'ok' : 'bad'}">${passed ? '✓' : '✗'}</span><span>${escape(title)}<span class="tag">${group}</span></span><span class="ms">${duration_ms} ms</span><span class="id">${escape(id)} · ${escape(section)}</span>${reason}</li>`
}

function escape(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign)
}
