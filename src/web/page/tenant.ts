import { html } from 'hono/html'
import type { ChangeView } from '../../model/change.ts'
import { dayMs, distance } from '../../model/durations.ts'
import { listsRecords } from '../../model/holds.ts'
import { type HoldView, identitySentence } from '../../model/posture.ts'
import { dataQualityOf, tally } from '../../model/posture-state.ts'
import { grouped as number, plural } from '../../model/text/numbers.ts'
import { listChange } from '../../model/text/words.ts'
import { checks } from './checks.ts'
import { findings } from './findings.ts'
import { firstScreen } from './first-screen.ts'
import type { TenantPage } from './load-page.ts'
import { ownerNote } from './owner.ts'
import { hrefOf, isFiltered, type PageQuery, unfiltered } from './page-query.ts'
import { resources } from './resources.ts'
import { secrets } from './secrets.ts'
import { tenantSummary, tiles } from './summary.ts'
import { folded, part, table } from './table.ts'
import { command, foreign, type Html, instant, sentence, stamp, valueText } from './text.ts'
import { waivers } from './waivers.ts'

const skewWorthSayingMs = 60_000
const ownSecretWorthSayingMs = 30 * dayMs

const partNames = [
  ['data', 'Data'],
  ['checks', 'Checks'],
  ['findings', 'Findings'],
  ['secrets', 'Secrets'],
  ['changes', 'Changes'],
  ['waivers', 'Waivers'],
] as const

export function tenant(page: TenantPage, query: PageQuery, now: number): Html {
  const { posture } = page
  const quality = dataQualityOf(posture)
  const sums = tally(posture)
  const { tone, sentence } = tenantSummary(posture, quality, sums)
  const state = html`${resources(page, now)}
${checks(page, query, now)}`
  const found = findings(page, query, now)
  return html`<section class="tenant" id="tenant-${posture.tenant}" aria-labelledby="name-${posture.tenant}">
<div class="banner edge-${tone}"><h2 id="name-${posture.tenant}">${posture.tenant}</h2><p>${sentence}</p><nav class="parts" aria-label="Parts of ${posture.tenant}">${partNames.map(([part, word]) => html`<a href="#${part}-${posture.tenant}">${word}</a> `)}</nav></div>
${ownerNote(posture, now)}${filterNote(posture.tenant, query)}${holds(page, now)}${notes(page, now)}${firstScreen(page, query, now)}${tiles(page, quality, sums, { query, now })}
${isFiltered(query) ? html`${found}${state}` : html`${state}${found}`}
${secrets(page, now)}
${changes(page, now)}
${waivers(page, now)}
</section>
`
}

/** Note that the findings are filtered, unlike summary and holds. */
function filterNote(tenant: string, query: PageQuery): Html | string {
  if (!isFiltered(query)) return ''
  const anchor = `#findings-${tenant}`
  return html`<p class="note">The <a href="${anchor}">findings below</a> are filtered: <a href="${hrefOf(query, unfiltered, anchor)}" data-live="">show all</a>.</p>`
}

function notes({ posture, secrets: views }: TenantPage, now: number): Html {
  const { clockSkewMs, blockedUntil } = posture
  const blocked =
    blockedUntil > now
      ? html`<p class="note">The API asked to wait: no request is sent before ${instant(blockedUntil, now)}.</p>`
      : ''
  const skewed =
    clockSkewMs !== null && Math.abs(clockSkewMs) >= skewWorthSayingMs
      ? html`<p class="note">The tenant's clock is ${Math.round(Math.abs(clockSkewMs) / 1000)} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine's.</p>`
      : ''
  const own = views.find((secret) => secret.own)
  const ownSecret =
    own !== undefined && own.expiresAt - now <= ownSecretWorthSayingMs
      ? html`<p class="note">The secret of tenantwatch itself ${own.expiresAt > now ? 'expires' : 'has expired'}: ${instant(own.expiresAt, now)}. Without a new one monitoring stops.</p>`
      : ''
  const identity = posture.identity === 'proven' ? '' : html`<p class="note">${identitySentence(posture)}</p>`
  return html`${ownSecret}${blocked}${skewed}${identity}`
}

/** Always rendered, because alerts link to it, also after the hold has ended. */
function holds({ posture: { tenant, holds: views }, configFile }: TenantPage, now: number): Html {
  return html`<div id="holds-${tenant}">${views.map((hold) => card(hold, configFile, now))}</div>`
}

function card(hold: HoldView, configFile: string | undefined, now: number): Html {
  const subject = hold.resource === 'all' ? 'the whole tenant' : hold.resource
  return html`<div class="hold" role="group" aria-label="On hold: ${subject}">
<p><strong>On hold: ${subject}</strong> <code>${hold.reason}</code> <span class="ago">since ${stamp(hold.raisedAt)}, ${distance(hold.raisedAt, now)}</span></p>
<p>${foreign(sentence(hold.message))}</p>
${ending(hold, configFile)}
</div>
`
}

function ending({ remedy, effect, advice, ...hold }: HoldView, configFile: string | undefined): Html {
  if (hold.acceptedReason !== undefined)
    return html`<p>Accepted: ${foreign(hold.acceptedReason)}. It takes effect with the next ${hold.resource === 'all' ? 'full syncs' : html`full sync of ${hold.resource}`}, which a running daemon begins soon.</p>`
  if (remedy !== undefined) return html`<p>It cannot be accepted. ${remedy}; then it ends automatically.</p>`
  const sentences = [advice, effect].flatMap((sentence) => (sentence === undefined ? [] : html`<p>${sentence}.</p>`))
  const records = listsRecords(hold.reason)
    ? html`<p>The ids of the records: ${command(`accept ${hold.id} --list`, configFile)}</p>`
    : ''
  const consent =
    hold.replacesTenant === true
      ? 'If it is the right tenant, accept the replacement:'
      : html`If the change is intended, accept all ${number(hold.count)}:`
  return html`${sentences}${records}<p>${consent} ${command(`accept ${hold.id} --count ${hold.count} --reason TEXT`, configFile)}</p>`
}

function changes({ posture: { tenant }, changes: views, configFile }: TenantPage, now: number): Html {
  const id = `changes-${tenant}`
  const records = Map.groupBy(views, ({ resource, entity, requestId }) => JSON.stringify([resource, entity, requestId]))
  const body = table({
    labeledBy: `${id}_title`,
    columns: ['When', 'What', 'Change', 'Request id'],
    head: 1,
    rows: [...records.values()].map((same) => changeRow(same, now)),
    empty: 'No change is recorded. The records of the first complete full sync do not count as changes.',
  })
  const shown = views.length === 0 ? body : folded(id, plural(views.length, 'change'), body)
  return part(
    id,
    'Last changes',
    html`${shown}<p class="more">All of them: ${command(`history --tenant ${tenant}`, configFile)}</p>`,
  )
}

/** The changes of one record that one request showed. */
function changeRow(same: readonly ChangeView[], now: number): readonly (Html | string)[] {
  const [view] = same
  if (view === undefined) return []
  const { resource, entity, names, requestId, at } = view
  const type = resource === entity ? '' : html` <span class="type">${resource}</span>`
  const who =
    names.length === 0
      ? foreign(entity)
      : html`${foreign(names.join(' · '))} <span class="type">${foreign(entity)}</span>`
  return [
    instant(at, now),
    html`${who}${type}`,
    html`${same.map((one, i) => html`${i === 0 ? '' : html`<br>`}${whatChanged(one)}`)}`,
    requestId === null ? '–' : html`<code class="id">${foreign(requestId)}</code>`,
  ]
}

function whatChanged({ kind, field, before, after }: ChangeView): Html {
  if (field === null) return html`<span class="kind">${kind}</span>`
  const difference = listChange(before, after)
  if (difference !== null)
    return html`<code>${foreign(field)}</code> <span class="values">${foreign(difference)}</span>`
  return html`<code>${foreign(field)}</code> <span class="values"><del>${foreign(valueText(before))}</del> <span aria-hidden="true">&rarr;</span> <ins>${foreign(valueText(after))}</ins></span>`
}
