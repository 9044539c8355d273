import { html, raw } from 'hono/html'
import { severities } from '../model/severity.ts'
import { grouped, plural, wordOf } from '../model/text/words.ts'
import { toIso } from '../model/time.ts'
import { badge, type Html, severityCounts } from '../web/page/html.ts'
import type { Report, ReportFinding, TenantReport } from './build-report.ts'
import { standings } from './coverage.ts'
import {
  checks,
  dataQuality,
  decisions,
  findings,
  period,
  requirements,
  signatures,
  type TopFindings,
  tones,
  waivers,
  when,
  whole,
} from './html-parts.ts'
import { stylesheet } from './stylesheet.ts'
import { type Part, parts, resourceStateWord } from './words.ts'

/** The report as one self-contained HTML file without scripts; its links lead to its own parts and into the portal. */
export async function* reportHtml(report: Report): AsyncIterable<string> {
  const asOf = toIso(report.at)
  const head = {
    ...(report.from === null ? { 'As of': asOf } : { Period: `${toIso(report.from)} to ${asOf}` }),
    Source: `the history of tenantwatch ${report.version}`,
    History: `begins ${report.historyBegins}`,
    Configuration: `in force since ${report.configuredSince}, digest ${report.configurationDigest}`,
  }
  yield `${await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit report ${report.from === null ? 'as of' : `from ${toIso(report.from)} to`} ${asOf}</title>
<style>${raw(stylesheet)}</style>
</head>
<body>
<header><h1>Audit report <small>tenantwatch ${report.version}</small></h1></header>
<main>
<dl class="head">${terms(head)}${tenantLinks(report)}</dl>
${report.notes.map((note) => html`<p class="note">${note}</p>`)}
`}`
  for (const tenant of report.tenants)
    yield String(await section(tenant, await mostSevere(tenant.findings()), await tenant.trend()))
  yield `</main>
</body>
</html>
`
}

function terms(lines: Readonly<Record<string, unknown>>): Html {
  return html`${Object.entries(lines).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}`
}

function tenantLinks({ tenants }: Report): Html | string {
  if (tenants.length < 2) return ''
  return html`<dt>Tenants</dt><dd>${tenants.map(({ tenant }) => html`<a href="#tenant-${tenant}">${tenant}</a> `)}</dd>`
}

function section(report: TenantReport, found: TopFindings, trend: Awaited<ReturnType<TenantReport['trend']>>): Html {
  const { tenant, standings: counts, quality } = report
  const bad = counts.fail > 0 || report.holds.length > 0
  const isIncomplete = counts.unknown > 0 || counts.off > 0 || quality.level !== 'full'
  const tone = bad ? 'bad' : isIncomplete || counts.pass === 0 ? 'unknown' : 'good'
  return html`<section class="tenant" id="tenant-${tenant}">
<div class="banner edge-${tone}"><h2>${tenant}</h2><p>${report.summary}</p></div>
${summary(report)}
${report.clocksDiffer ? html`<p class="note">The clocks of tenant and tenantwatch differed too much to evaluate checks that compare times.</p>` : ''}${holds(report)}
<nav class="contents" aria-label="Contents of ${tenant}"><h3>Contents</h3><ol>${partsOf(report).map((part) => html`<li><a href="#${part}-${tenant}">${parts[part]}</a></li>`)}</ol></nav>
${period(report, trend)}
${requirements(report)}
${checks(report, found)}
${waivers(report)}
${decisions(report)}
${findings(report, found)}
${dataQuality(report)}
${signatures(report)}
</section>
`
}

/** Only the report of a period has the first and the last part. */
function partsOf({ period: of }: TenantReport): readonly Part[] {
  const all = Object.keys(parts) as Part[]
  return of === null ? all.slice(1, -1) : all
}

function summary(report: TenantReport): Html {
  const { standings: counts, open, openTotal, waivedTotal, holds: held, chainHead } = report
  const present = standings.filter((standing) => counts[standing] > 0)
  const lines = {
    'Data quality': qualityInWords(report),
    Checks: present.map(
      (standing) => html`<span class="count">${badge(wordOf(standing), tones[standing])} ${counts[standing]}</span> `,
    ),
    'Open findings':
      openTotal + waivedTotal === 0
        ? `none${counts.unknown > 0 ? ' known' : ''}`
        : html`<span class="count">${grouped(openTotal)} open</span> ${severityCounts(open, waivedTotal)}`,
    Holds: held.length === 0 ? 'none' : held.map(({ resource }) => resource).join(', '),
    Accepted: acceptedInWords(report),
    'Audit chain':
      chainHead === null ? 'no event yet' : `event ${chainHead.id} of ${chainHead.at}, hash ${chainHead.hash}`,
  }
  return html`<dl class="head">${terms(lines)}</dl>`
}

/** `5 of 6 resources complete and fresh; users: stale`. */
function qualityInWords({ quality, resources }: TenantReport): string {
  const others = resources.filter(({ state }) => state !== 'fresh')
  const why = others.map(({ resource, state, dataAsOf }) => {
    return `; ${resource}: ${state === 'failing' ? 'the last run failed' : resourceStateWord(state, dataAsOf)}`
  })
  return `${quality.fresh} of ${plural(quality.of, 'resource')} complete and fresh${why.join('')}`
}

/** `2 waivers (1 active, 1 expired), 1 decision of operators`. */
function acceptedInWords({ waivers: all, decisions: made }: TenantReport): string {
  const states = [...Map.groupBy(all, ({ state }) => state)].map(([state, { length }]) => `${length} ${state}`)
  const by = states.length === 0 ? '' : ` (${states.join(', ')})`
  return `${plural(all.length, 'waiver')}${by}, ${plural(made.length, 'decision')} of operators`
}

function holds({ holds: all }: TenantReport): Html {
  return html`${all.map(
    (
      hold,
    ) => html`<div class="hold"><p><strong>On hold: ${hold.resource}</strong> <code>${hold.reason}</code> since ${when(hold.raisedAt)}</p><p>${whole(hold.message)}</p></div>
`,
  )}`
}

const most = 500

/** The 500 most severe findings, waived ones last. At most 1,000 are in memory at a time. */
export async function mostSevere(findings: AsyncIterable<ReportFinding>): Promise<TopFindings> {
  let kept: ReportFinding[] = []
  let total = 0
  for await (const finding of findings) {
    total++
    kept.push(finding)
    if (kept.length >= 2 * most) kept = kept.sort(bySeverity).slice(0, most)
  }
  const shown = kept.sort(bySeverity).slice(0, most)
  return { groups: Map.groupBy(shown, ({ check }) => check), shown: shown.length, total }
}

function bySeverity(a: ReportFinding, b: ReportFinding): number {
  return (
    Number(a.state === 'waived') - Number(b.state === 'waived') ||
    severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
    compare(a.check, b.check) ||
    compare(a.entity.id, b.entity.id) ||
    compare(a.fingerprint, b.fingerprint)
  )
}

/** Numbers in texts by value. */
const { compare } = new Intl.Collator('en', { numeric: true })
