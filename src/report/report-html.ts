import { html, raw } from 'hono/html'
import { toIso } from '../model/dates.ts'
import { describeDuration } from '../model/durations.ts'
import { namesIn } from '../model/entity-names.ts'
import { grouped as number, plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { printableJson } from '../model/text/printable-json.ts'
import { badge, severityTone, stateTone, type Tone } from '../web/page/marks.ts'
import type { Html } from '../web/page/text.ts'
import {
  mostSevere,
  type Report,
  type ReportCheck,
  type ReportFinding,
  type RequirementState,
  type TenantReport,
  type TopFindings,
} from './report.ts'
import { stylesheet } from './stylesheet.ts'
import {
  caveat,
  chainSentence,
  countsInWords,
  coverageInWords,
  headLines,
  reopenedWords,
  requirementWord,
  resourceStateWord,
  standingWord,
  tenantSentence,
} from './words.ts'

const tones = {
  fail: 'bad',
  unknown: 'unknown',
  waived: 'warn',
  pass: 'good',
  not_applicable: 'quiet',
  off: 'unknown',
  no_check: 'quiet',
} as const satisfies Record<RequirementState | ReportCheck['standing'], Tone>

/** The report as one self-contained HTML file without scripts and links. */
export async function* reportHtml(report: Report): AsyncIterable<string> {
  const asOf = toIso(report.at)
  yield `${await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit report as of ${asOf}</title>
<style>${raw(stylesheet)}</style>
</head>
<body>
<header><h1>Audit report <small>tenantwatch ${report.version}</small></h1></header>
<main>
<dl class="head">${headLines(report, asOf).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${report.notes.map((note) => html`<p class="note">${note}</p>`)}
`}`
  for (const tenant of report.tenants) yield String(await section(tenant, await mostSevere(tenant.findings())))
  yield `${await html`</main>
<footer><span>${caveat}</span></footer>
</body>
</html>
`}`
}

function section(tenant: TenantReport, found: TopFindings): Html {
  const { standings, quality } = tenant
  const bad = standings.fail > 0 || tenant.holds.length > 0
  const isIncomplete = standings.unknown > 0 || standings.off > 0 || quality.level !== 'full'
  const tone = bad ? 'bad' : isIncomplete || standings.pass === 0 ? 'unknown' : 'good'
  const clocks = tenant.clocksDiffer
    ? html`<p class="note">The clocks of tenant and tenantwatch differed too much to evaluate checks that compare times.</p>`
    : ''
  return html`<section>
<div class="banner edge-${tone}"><h2>${tenant.tenant}</h2><p>${tenantSentence(tenant)}</p></div>
<p class="sums">Checks: ${countsInWords(standings, standingWord)}. Findings: ${number(tenant.openTotal)} open, ${number(tenant.waivedTotal)} waived.</p>
${clocks}${tenant.holds.map((hold) => html`<div class="hold"><p><strong>On hold: ${hold.resource}</strong> <code>${hold.reason}</code> since ${when(hold.raisedAt)}</p><p>${whole(hold.message)}</p></div>`)}
<p class="sums">${chainSentence(tenant.chainHead, (hash) => hash)}</p>
${resources(tenant)}
${checks(tenant)}
${findings(found)}
${waivers(tenant)}
${decisions(tenant)}
${requirements(tenant)}
</section>
`
}

function resources({ resources: all }: TenantReport): Html {
  return table({
    caption: 'Data quality',
    columns: ['Resource', 'State', 'Data as of', 'Age against limit', 'Records', 'Incomplete'],
    rows: all.map((one) => [
      one.resource,
      html`${badge(resourceStateWord(one), one.state === 'off' ? 'quiet' : stateTone[one.state])} ${one.reasons.filter((reason) => reason !== one.state).map((reason) => html`<span class="why">${reason}</span>`)}`,
      when(one.dataAsOf, 'never'),
      `${one.ageSeconds === null ? '–' : describeDuration(one.ageSeconds * 1000)} of ${describeDuration(one.limitSeconds * 1000)}`,
      number(one.records),
      `${number(one.quarantined)} quarantined, ${number(one.missing)} missing`,
    ]),
    empty: 'No resource is configured.',
  })
}

function checks({ checks: all }: TenantReport): Html {
  return table({
    caption: 'Checks',
    columns: ['Check', 'Status', 'Entities', 'Since', 'Configured'],
    rows: all.map((one) => [
      html`<code>${one.check}</code><span class="why">${whole(one.title)}</span>`,
      html`${badge(standingWord[one.standing], tones[one.standing])}${one.reason === null ? '' : html`<span class="why">${one.reason}</span>`}`,
      coverageInWords(one),
      when(one.since, '–'),
      Object.keys(one.options).length === 0
        ? '–'
        : html`<code class="facts">${whole(printableJson(one.options))}</code>`,
    ]),
    empty: 'No check was configured.',
  })
}

function findings({ shown, total }: TopFindings): Html {
  const more =
    total > shown.length ? `, the most severe ${number(shown.length)} of ${number(total)}; the JSON report has all` : ''
  return table({
    caption: `Open findings, waived ones last${more}`,
    columns: ['Finding', 'Severity', 'Entity', 'First seen', 'Evidence'],
    rows: shown.map((finding) => [
      html`${whole(finding.message)}<code class="id">${finding.check}</code><code class="id">${finding.fingerprint}</code>${marks(finding)}`,
      badge(finding.severity, finding.state === 'waived' ? 'quiet' : severityTone[finding.severity]),
      html`${finding.entity.type} ${whole(finding.entity.id)}${namesIn(finding.entity).map((name) => html`<span class="why">${whole(name)}</span>`)}`,
      html`${when(finding.firstSeen)}<span class="why">${plural(finding.ageDays, 'day')} old</span>`,
      html`<code class="facts">${whole(printableJson(finding.evidence))}</code>`,
    ]),
    empty: 'No finding was open. Checks above that are unknown may still fail.',
  })
}

function marks({ waiver, reopened }: ReportFinding): Html {
  const words = [
    ...(waiver === null ? [] : [waiver.explanation ?? `waived by ${waiver.id} until ${waiver.expires}`]),
    ...(reopened === 0 ? [] : [reopenedWords(reopened)]),
  ]
  return html`${words.map((word) => html`<span class="why">${whole(word)}</span>`)}`
}

function waivers({ waivers: all }: TenantReport): Html {
  return table({
    caption: 'Waivers',
    columns: ['Waiver', 'State', 'Check', 'Entity', 'Covers', 'Owner', 'Ends'],
    rows: all.map((one) => [
      html`${whole(one.id)}<span class="why">${whole(one.reason)}</span>`,
      badge(one.state, one.state === 'active' ? 'good' : 'warn'),
      html`<code>${one.check}</code>`,
      whole(one.entity),
      html`${number(one.covered)}${one.lapsed === 0 ? '' : html`<span class="why">lapsed for ${number(one.lapsed)}</span>`}`,
      whole(one.owner),
      when(one.expires),
    ]),
    empty: 'No waiver was configured.',
  })
}

function decisions({ decisions: all }: TenantReport): Html | string {
  if (all.length === 0) return ''
  return table({
    caption: 'Decisions of operators',
    columns: ['Accepted', 'What', 'Of', 'Reason', 'Taken up'],
    rows: all.map(({ at, accepted, subject, id, what, reason, appliedAt }) => [
      when(at),
      html`${accepted} <code class="id">${whole(id)}</code>`,
      html`${subject}<code class="facts">${whole(what)}</code>`,
      whole(reason),
      when(appliedAt, 'not yet'),
    ]),
    empty: '',
  })
}

function requirements({ frameworks }: TenantReport): Html {
  return html`${frameworks.map(({ name, counts, requirements: all }) =>
    table({
      caption: `${name}: ${countsInWords(counts, requirementWord)}`,
      columns: ['Requirement', 'About', 'State', 'By'],
      rows: all.map(({ id, title, state, checks: by }) => [
        id,
        title,
        badge(requirementWord[state], tones[state]),
        by.length === 0
          ? '–'
          : html`${by.map(({ check, standing }) => html`<span class="why"><code>${check}</code> ${standingWord[standing]}</span>`)}`,
      ]),
      empty: 'None.',
    }),
  )}`
}

/** A text from the tenant, uncut: escaped, and isolated so that it cannot change the writing direction around it. */
function whole(text: string): Html {
  return html`<bdi>${printable(text)}</bdi>`
}

function when(iso: string | null, never = ''): Html | string {
  if (iso === null) return never
  const [day = '', time = ''] = toIso(Date.parse(iso)).split('T')
  return html`<time datetime="${iso}">${day} ${time.slice(0, 5)} UTC</time>`
}

interface Table {
  readonly caption: string
  readonly columns: readonly string[]
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly (Html | string)[])[]
  readonly empty: string
}

function table({ caption, columns, rows, empty }: Table): Html {
  if (rows.length === 0) return html`<h3>${caption}</h3><p class="empty">${empty}</p>`
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`
}

function row([head = '', ...rest]: readonly (Html | string)[]): Html {
  return html`<tr><th scope="row">${head}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>
`
}
