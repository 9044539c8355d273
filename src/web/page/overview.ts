import { html } from 'hono/html'
import type { TenantPosture } from '../../model/posture.ts'
import type { Severity } from '../../model/severity.ts'
import { type DataQuality, dataQualityOf } from '../data-quality.ts'
import { type Tally, tally } from '../tally.ts'
import { badge, severityTone, type Tone } from './badge.ts'
import { checkResult } from './check-result.ts'
import type { PageData } from './load-page.ts'
import { hrefOf, wholePage } from './page-query.ts'
import { type Html, number, plural } from './text.ts'

const mostCards = 200

interface Standing {
  readonly posture: TenantPosture
  readonly quality: DataQuality
  readonly sums: Tally
  readonly tone: Tone
  readonly sentence: string
}

const order: readonly Tone[] = ['bad', 'blind', 'warn', 'good', 'quiet', 'own']

/** All tenants side by side, the worst first; where they are many, each links to a page of its own. */
export function overview({ postures, tenants, query }: PageData): Html | string {
  if (postures.length < 2) return ''
  const standings = postures.map(standing).toSorted(worse)
  const found = query.find === '' ? standings : standings.filter(({ posture }) => posture.tenant.includes(query.find))
  const isMany = tenants.length === 0
  const shown = found.slice(0, mostCards)
  const more =
    found.length > shown.length
      ? html`<p class="more">and ${number(found.length - shown.length)} more that stand no worse; find one by its name.</p>`
      : ''
  return html`<section id="tenants" aria-labelledby="tenants-title"><h2 id="tenants-title">${plural(postures.length, 'tenant')}</h2>
<p class="count-line" id="tenants-sum" role="status" aria-live="polite">${summary(standings)}${query.find === '' ? '' : `; ${number(found.length)} with this in the name`}</p>
${isMany ? finder(query.find) : ''}<ul class="cards">${shown.map((one) => card(one, isMany))}</ul>${more}</section>
`
}

function standing(posture: TenantPosture): Standing {
  const quality = dataQualityOf(posture)
  const sums = tally(posture)
  return { posture, quality, sums, ...checkResult(posture, quality, sums) }
}

function worse(a: Standing, b: Standing): number {
  return (
    order.indexOf(a.tone) - order.indexOf(b.tone) ||
    b.sums.open.critical - a.sums.open.critical ||
    b.sums.open.high - a.sums.open.high ||
    b.sums.checks.unknown - a.sums.checks.unknown
  )
}

function summary(all: readonly Standing[]): string {
  const count = (tone: Tone) => all.filter((one) => one.tone === tone).length
  const parts = [
    [count('bad'), 'with something wrong'],
    [count('blind'), 'that cannot be evaluated in full'],
    [count('good'), 'with nothing wrong'],
  ] as const
  return parts
    .filter(([value]) => value > 0)
    .map(([value, words]) => `${number(value)} ${words}`)
    .join(', ')
}

function finder(find: string): Html {
  return html`<form class="filter" id="find" action="/" method="get" data-live="" aria-label="Find a tenant"><label class="grow">Name <input type="search" name="find" id="find-name" value="${find}" maxlength="200" autocomplete="off" spellcheck="false"></label><button type="submit">Find</button></form>
`
}

function card({ posture, quality, sums, tone }: Standing, isMany: boolean): Html {
  const { tenant } = posture
  const href = isMany ? hrefOf(wholePage, { tenant }) : `#tenant-${tenant}`
  const severe = (['critical', 'high'] as const satisfies readonly Severity[])
    .filter((severity) => sums.open[severity] > 0)
    .map((severity) => html`${badge(`${severity} ${number(sums.open[severity])}`, severityTone[severity])} `)
  const words = [
    ...(sums.checks.fail > 0 ? [`${number(sums.checks.fail)} failing`] : []),
    ...(sums.checks.unknown > 0 ? [`${number(sums.checks.unknown)} unknown`] : []),
    ...(posture.holds.length > 0 ? [plural(posture.holds.length, 'hold')] : []),
  ]
  return html`<li class="tenant-card edge-${tone}" id="card-${tenant}"><a href="${href}">${tenant}</a><span class="text-${tone}">${words.join(', ') || (tone === 'good' ? 'all pass' : 'nothing evaluated')}</span><span class="quiet-text">${quality.trusted} of ${plural(quality.of, 'resource')} trusted</span><span>${severe}</span></li>
`
}
