import { html } from 'hono/html'
import { dayMs, distance } from '../../model/durations.ts'
import type { TenantPosture } from '../../model/posture.ts'
import {
  type DataQuality,
  isFreshAndComplete,
  isUnstored,
  resourceState,
  type Tally,
} from '../../model/posture-state.ts'
import { type Severity, severities } from '../../model/severity.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import type { TenantPage } from './load-page.ts'
import { severityCounts, severityTone, stackedBar, statusTone, statusWord, type Tone } from './marks.ts'
import { hrefOf, type PageQuery, wholePage } from './page-query.ts'
import { noSecret } from './secrets.ts'
import { type Html, stamp } from './text.ts'

export interface TenantSummary {
  readonly tone: Tone
  readonly sentence: string
}

/** A tenant in one sentence. Green requires full data quality and no failing or unknown check. */
export function tenantSummary(posture: TenantPosture, quality: DataQuality, { shown: checks }: Tally): TenantSummary {
  const wrong = [
    ...(checks.fail > 0 ? [`${plural(checks.fail, 'check')} ${checks.fail === 1 ? 'fails' : 'fail'}`] : []),
    ...(checks.unknown > 0 ? [`${plural(checks.unknown, 'check')} cannot be evaluated`] : []),
  ]
  const known = {
    full: 'the data is complete and fresh',
    partial: `the data of ${quality.fresh} of ${plural(quality.of, 'resource')} is complete and fresh`,
    none: 'no resource has complete and fresh data',
  }[quality.level]
  const unstored = isUnstored(posture)
  if (wrong.length === 0 && quality.level === 'full' && !unstored && checks.pass > 0)
    return {
      tone: 'good',
      sentence: `All ${plural(checks.pass + checks.waived, 'evaluated check')} pass${checks.waived > 0 ? ' or are waived' : ''}, and ${known}.`,
    }
  const tone = checks.fail > 0 || posture.holds.length > 0 ? 'bad' : 'unknown'
  const start = wrong.length === 0 ? 'No check fails' : wrong.join(', ')
  const data = unstored ? 'new data cannot be stored, so this page shows older data' : known
  return { tone, sentence: `${start}; ${data}.` }
}

export function tiles(
  page: TenantPage,
  quality: DataQuality,
  sums: Tally,
  { query, now }: { readonly query: PageQuery; readonly now: number },
): Html {
  const { tenant } = page.posture
  const link = (severity: Severity) =>
    hrefOf(wholePage, { tenant: query.tenant, severities: [severity] }, `#findings-${tenant}`)
  return html`<div class="tiles">${dataQualityTile(page, quality)}${checksTile(page, sums)}${findingsTile(sums, link)}${secretTile(page, now)}</div>`
}

const dataQualityTone = { full: 'good', partial: 'warn', none: 'unknown' } as const satisfies Record<
  DataQuality['level'],
  Tone
>
const dataQualityWord = { full: 'Fresh', partial: 'Partly fresh', none: 'Not confirmed' } as const satisfies Record<
  DataQuality['level'],
  string
>

function dataQualityTile({ posture }: TenantPage, quality: DataQuality): Html {
  const failing = posture.resources.filter(
    (view) => view.enabled && resourceState(view, posture.holds) === 'failing',
  ).length
  const more = [
    ...(posture.holds.length === 0 ? [] : [plural(posture.holds.length, 'hold')]),
    ...(failing === 0 ? [] : [`the last run of ${plural(failing, 'resource')} failed`]),
  ]
  const detail = [`${quality.fresh} of ${plural(quality.of, 'resource')} complete and fresh`, ...more].join(', ')
  const tone = dataQualityTone[quality.level]
  return tile('Data', failing > 0 && tone === 'good' ? 'warn' : tone, dataQualityWord[quality.level], detail)
}

function checksTile({ posture }: TenantPage, { shown: checks }: Tally): Html {
  const tone = checks.fail > 0 ? 'bad' : checks.unknown > 0 ? 'unknown' : checks.pass > 0 ? 'good' : 'quiet'
  const word =
    checks.fail > 0
      ? `${checks.fail} failing`
      : checks.unknown > 0
        ? `${checks.unknown} unknown`
        : `${checks.pass} passing`
  const order = ['fail', 'unknown', 'waived', 'pass', 'not_applicable'] as const
  const parts = order.map((status) => ({ tone: statusTone[status], label: statusWord(status), value: checks[status] }))
  const words = parts.filter(({ value }) => value > 0).map(({ value, label }) => `${value} ${label}`)
  const off = posture.checks.filter(({ enabled }) => !enabled).length
  if (off > 0) words.push(`${off} off`)
  return tile('Checks', tone, word, html`${stackedBar(parts)}${words.join(' · ')}`)
}

function findingsTile({ open, openTotal, waivedTotal }: Tally, link: (severity: Severity) => string): Html {
  const worst = severities.toReversed().find((severity) => open[severity] > 0)
  return tile(
    'Open findings',
    worst === undefined ? 'quiet' : severityTone[worst],
    number(openTotal),
    html`${severityCounts(open, waivedTotal, link)}`,
  )
}

const soonMs = 30 * dayMs

/** Green only while the data of API clients is fresh: a secret may have changed since it was read. */
function secretTile({ posture, secrets }: TenantPage, now: number): Html {
  const next = secrets.find(({ expiresAt }) => expiresAt > now)
  const expired = secrets.filter(({ expiresAt }) => expiresAt <= now).length
  const past = `${number(expired)} expired`
  if (next === undefined)
    return tile(
      'Client secrets',
      expired > 0 ? 'bad' : 'quiet',
      expired > 0 ? past : 'None known',
      expired > 0 ? 'None expires later' : noSecret(posture),
    )
  const clients = posture.resources.find(({ resource }) => resource === 'api-clients')
  const isFresh = clients !== undefined && isFreshAndComplete(clients, posture.holds)
  const tone = expired > 0 ? 'bad' : next.expiresAt - now <= soonMs ? 'warn' : isFresh ? 'good' : 'unknown'
  const when = distance(next.expiresAt, now)
  const detail = html`${expired > 0 ? `next ${when}: ` : ''}${stamp(next.expiresAt)}${isFresh ? '' : ', as last read'}`
  return tile('Client secrets', tone, expired > 0 ? past : `Next ${when}`, detail)
}

function tile(title: string, tone: Tone, word: string, detail: Html | string): Html {
  return html`<div class="tile edge-${tone}"><h3>${title}</h3><p class="figure text-${tone}">${word}</p><p class="detail">${detail}</p></div>
`
}
