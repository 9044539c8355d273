import { html } from 'hono/html'
import { describeData, describeFailures, describeWaiver } from '../../model/describe.ts'
import type { SecretView } from '../../model/expiry.ts'
import type { ModeView, ResourceView, WaiverState, WaiverView } from '../../model/posture.ts'
import { dataQualityOf, type ResourceState, resourceState } from '../../model/posture-state.ts'
import { listChange, grouped as number, plural, wordOf } from '../../model/text/words.ts'
import { dayMs, describeDuration, distance } from '../../model/time.ts'
import type { ChangeView } from '../web-options.ts'
import { advice, badge, command, foreign, type Html, instant, stateTone, type Tone, table, valueText } from './html.ts'
import type { TenantPage } from './load-page.ts'

/** Most rows of a table; more are counted. */
const maxRows = 100

/** A part in one line, which opens. */
export function folded(id: string, title: string, words: string, body: Html): Html {
  return html`<section class="part" id="${id}" aria-labelledby="${id}_title"><details id="${id}_more"><summary><h3 id="${id}_title">${title}</h3> <span class="ago">${words}</span></summary>
${body}</details></section>
`
}

/** Everything that keeps the data from being complete and fresh, large; empty when nothing does. Holds have cards. */
export function dataProblems({ posture }: TenantPage): Html | string {
  const known = describeData(posture).filter(({ state }) => state !== 'off' && state !== 'on_hold')
  const groups = Map.groupBy([...known, ...describeFailures(posture)], ({ next }) => next ?? '')
  if (groups.size === 0) return ''
  return html`<ul class="problems" aria-label="Problems of the data">${[...groups].map(
    ([next, same]) =>
      html`<li class="problem edge-${stateTone[same[0]?.state ?? 'failing']}">${same.map(
        ({ subject, state, text }) => html`<p><strong>${subject}</strong> ${stateBadge(state)} ${foreign(text)}</p>`,
      )}<p class="todo">${advice(next)}.</p></li>
`,
  )}</ul>
`
}

function stateBadge(state: ResourceState): Html {
  return badge(state === 'never' ? 'never complete' : wordOf(state), stateTone[state])
}

export function data({ posture, now }: TenantPage): Html {
  const id = `data-${posture.tenant}`
  const { fresh, of } = dataQualityOf(posture)
  const row = (view: ResourceView) => {
    if (!view.enabled) return [view.resource, stateBadge('off'), '–', '–', '–']
    const { dataAsOf, freshnessLimitMs, live, quarantined, missing } = view
    const excluded: string[] = []
    if (quarantined > 0) excluded.push(`${number(quarantined)} quarantined`)
    if (missing > 0) excluded.push(`${number(missing)} missing`)
    return [
      view.resource,
      stateBadge(resourceState(view, posture.holds)),
      html`${instant(dataAsOf, now)} <span class="ago">limit ${describeDuration(freshnessLimitMs)}</span>`,
      html`<span class="num">${number(live)}</span> <span class="why">${excluded.join(', ')}</span>`,
      html`${view.modes.map((mode) => lastSuccess(mode, now))}`,
    ]
  }
  const body = table({
    kind: 'data',
    labeledBy: `${id}_title`,
    columns: ['Resource', 'State', 'Data as of', 'Records', 'Last success'],
    rows: posture.resources.map(row),
    empty: 'No resource is configured.',
  })
  return folded(id, 'Data quality', `${fresh} of ${plural(of, 'resource')} complete and fresh`, body)
}

function lastSuccess({ mode, up, reason, lastSuccessAt }: ModeView, now: number): Html {
  const when = lastSuccessAt === null ? 'never' : distance(lastSuccessAt, now)
  const failure = up || reason === null ? '' : html` ${badge(wordOf(reason), 'warn')}`
  return html`<span class="mode"><span class="ago">${mode}</span> <span class="num">${when}</span>${failure}</span> `
}

const nearMs = 90 * dayMs

export function secrets({ posture: { tenant, resources }, secrets: views, now }: TenantPage): Html {
  const id = `secrets-${tenant}`
  const clients = resources.find(({ resource }) => resource === 'api-clients')
  const expired = views.filter(({ expiresAt }) => expiresAt <= now).length
  const near = views.filter(({ expiresAt }) => expiresAt - now <= nearMs).length - expired
  const words =
    clients?.enabled !== true
      ? 'API clients are switched off'
      : clients.dataAsOf === null
        ? 'no API client was read yet'
        : views.length === 0
          ? 'the list that was last read has no API client with a secret'
          : `${number(expired)} expired, ${number(near)} expire within 90 days, ${number(views.length - expired - near)} later`
  const shown = views.filter(({ own }, i) => own || i < maxRows)
  const row = (view: SecretView) => [
    html`${view.name === null ? '' : html`${foreign(view.name)} `}${view.own ? badge('tenantwatch itself', 'own') : ''}<code class="id">${foreign(view.clientId)}</code>`,
    html`${instant(view.expiresAt, now)}${view.expiresAt <= now ? html` ${badge('expired', 'bad')}` : ''}`,
    view.role === null ? '–' : foreign(view.role),
  ]
  const body = table({
    labeledBy: `${id}_title`,
    columns: ['Client', 'Expires', 'Role'],
    rows: shown.map(row),
    empty: 'No secret is known.',
  })
  return folded(id, 'API client secrets', words, html`${body}${andMore(views.length - shown.length)}`)
}

function andMore(count: number): Html | string {
  return count > 0 ? html`<p class="more">and ${number(count)} more</p>` : ''
}

/** By record and request. */
export function changes({ posture: { tenant }, changes: views, now }: TenantPage): Html {
  const id = `changes-${tenant}`
  const records = Map.groupBy(views, ({ resource, key, requestId }) => JSON.stringify([resource, key, requestId]))
  const row = (same: readonly ChangeView[]) => {
    const [view] = same
    if (view === undefined) return []
    const { resource, key, names, requestId, at } = view
    const type = resource === key ? '' : html` <span class="type">${resource}</span>`
    const of = names.length === 0 ? '' : html` <span class="type">${foreign(key)}</span>`
    return [
      instant(at, now),
      html`${foreign(names.join(' · ') || key)}${of}${type}`,
      html`${same.map((one, i) => html`${i === 0 ? '' : html`<br>`}${whatChanged(one)}`)}`,
      requestId === null ? '–' : html`<code class="id">${foreign(requestId)}</code>`,
    ]
  }
  const body = table({
    labeledBy: `${id}_title`,
    columns: ['When', 'What', 'Change', 'Request id'],
    head: 1,
    rows: [...records.values()].map(row),
    empty: 'None lately. The records of the first complete full sync do not count as changes.',
  })
  const words = views[0] === undefined ? 'none lately' : `the last ${distance(views[0].at, now)}`
  const all = html`<p class="more">All of them: ${command(`history --tenant ${tenant}`)}</p>`
  return folded(id, 'Last changes', words, html`${body}${all}`)
}

function whatChanged({ kind, field, before, after }: ChangeView): Html {
  if (field === null) return html`<span class="kind">${kind}</span>`
  const difference = listChange(before, after)
  const values =
    difference === null
      ? html`<del>${foreign(valueText(before))}</del> <span aria-hidden="true">&rarr;</span> <ins>${foreign(valueText(after))}</ins>`
      : foreign(difference)
  return html`<code>${foreign(field)}</code> <span class="values">${values}</span>`
}

const waiverTone = { active: 'good', expired: 'bad', lapsed: 'warn', orphaned: 'quiet' } as const satisfies Record<
  WaiverState,
  Tone
>

export function waivers({ posture: { tenant, waivers: views }, now }: TenantPage): Html {
  const id = `waivers-${tenant}`
  const states = [...Map.groupBy(views, ({ state }) => state)].map(
    ([state, { length }]) => `${number(length)} ${state}`,
  )
  const shown = views.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, maxRows)
  const row = (view: WaiverView) => [
    html`${foreign(view.id)}<span class="why"><code>${view.check}</code> ${view.entity === '*' ? 'every entity' : foreign(view.entity)}</span>`,
    html`${badge(view.state, waiverTone[view.state])}<span class="why">${advice(describeWaiver(view, now).next ?? '')}</span>`,
    html`<span class="num">${number(view.covered)}</span>${view.lapsed === 0 ? '' : html`<span class="why">${number(view.lapsed)} no longer</span>`}`,
    instant(view.expiresAt, now),
    foreign(view.owner),
    foreign(view.reason),
  ]
  const body = table({
    labeledBy: `${id}_title`,
    columns: ['Waiver', 'State', 'Covers', 'Ends', 'Owner', 'Reason'],
    rows: shown.map(row),
    empty: 'No finding of this tenant is waived by the configuration.',
  })
  return folded(id, 'Waivers', states.join(', ') || 'none', html`${body}${andMore(views.length - shown.length)}`)
}
