import { html } from 'hono/html'
import { describePosture } from '../../model/describe.ts'
import type { TenantPosture } from '../../model/posture.ts'
import { dataQualityOf, tally } from '../../model/posture-state.ts'
import { version } from '../../model/process/version.ts'
import { grouped as number, plural } from '../../model/text/words.ts'
import { advice, badge, foreign, type Html, levelTone, severityTone, stamp } from './html.ts'
import type { PageData } from './load-page.ts'
import { hrefOf } from './page-query.ts'
import { ownerWord, tenant } from './tenant.ts'

/** Seconds between two refreshes: by the script, by the script with many tenants, and without a script. */
const refresh = { script: 20, many: 60, plain: 60 }

export async function* renderPage(data: PageData): AsyncGenerator<string> {
  yield String(await head(data))
  for (const posture of data.tenants) yield String(await tenant(await data.load(posture)))
  yield foot
}

function start(title: string, more: Html | string = ''): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>tenantwatch: ${title}</title>
<link rel="icon" href="./favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="./style.css">
${more}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>`
}

const end = html`</body>
</html>
`

/** A page that links back to the status page. */
export function otherPage(title: string, body: Html): string {
  return String(html`${start(title)}
<header><h1><img src="./favicon.svg" alt="" width="24" height="24"> tenantwatch</h1></header>
<main id="main">${body}<p class="more"><a href="${hrefOf({}, {})}">Status page</a></p></main>
${end}`)
}

/** The page for an address that does not exist. */
export function lostPage(message: string): string {
  return otherPage('not found', html`<p class="empty">${message}</p>`)
}

function head(data: PageData): Html {
  const { now, query, hasOthers, postures, tenants } = data
  const count = (status: 'fail' | 'unknown') => postures.reduce((sum, posture) => sum + tally(posture).shown[status], 0)
  const counts = [[count('fail'), 'failing'] as const, [count('unknown'), 'unknown'] as const]
  const notable = counts.filter(([found]) => found > 0).map(([found, word]) => `${number(found)} ${word}`)
  const title = [query.tenant ?? plural(postures.length, 'tenant'), ...notable].join(', ')
  const back = hasOthers ? html`<nav aria-label="Tenants"><a href="${hrefOf({}, {})}">All tenants</a></nav>` : ''
  const seconds = postures.length > 0 && tenants.length === 0 ? refresh.many : refresh.script
  return html`${start(
    title,
    html`<noscript><meta http-equiv="refresh" content="${refresh.plain}"></noscript>
<script type="module" src="./page.js"></script>`,
  )}
<header><h1><img src="./favicon.svg" alt="" width="24" height="24"> tenantwatch <small>${version}</small></h1>${back}<p class="asof" id="asof">as of ${stamp(now)}</p></header>
<p class="outdated" id="outdated" role="alert" hidden=""></p>
<main id="main" data-refresh="${seconds}">
${intro(data)}`
}

const foot = `</main>
<footer>JSON: <a href="./api/v1/status">status</a> <a href="./api/v1/checks">checks</a> <a href="./api/v1/findings">findings</a> <a href="./api/v1/openapi.json">OpenAPI</a> &middot; <a href="./metrics">metrics</a> <a href="./calendar.ics">calendar</a><span>Refreshed automatically from the mirror; ages are as of the last refresh.</span></footer>
${end}`

function intro(data: PageData): Html {
  const { exposeDetails, postures } = data
  const hidden = exposeDetails
    ? ''
    : html`<p class="note">Names of persons, e-mails and file names are hidden on this address.</p>`
  const above = html`${hidden}${problemsOf(data)}`
  if (postures.length === 0) return html`${above}<p class="empty">No tenant is configured.</p>`
  return html`${above}${overview(data)}`
}

function problemsOf({ problems }: PageData): Html | string {
  if (problems.length === 0) return ''
  const items = problems.map(
    ({ text, next }) =>
      html`<li class="problem edge-bad"><p>${foreign(text)}</p><p class="todo">${advice(next ?? '')}.</p></li>
`,
  )
  return html`<ul class="problems" id="problems" aria-label="Problems of the daemon">${items}</ul>
`
}

const maxCards = 200

const levels = ['fail', 'warn', 'ok'] as const
const levelWords = {
  fail: 'with failing checks or holds',
  warn: 'that cannot be evaluated completely',
  ok: 'without problems',
} as const

/** A card for each tenant, the worst first; with many tenants a card links to the tenant's own page. */
function overview({ postures, tenants, query: { find = '' } }: PageData): Html | string {
  if (postures.length < 2) return ''
  const ranked = postures.map(rankedTenant).toSorted(worse)
  const found = ranked.filter(({ posture }) => posture.tenant.includes(find))
  const isMany = tenants.length === 0
  const shown = found.slice(0, maxCards)
  const more =
    found.length > shown.length
      ? html`<p class="more">and ${number(found.length - shown.length)} more, none in a worse state; find one by name.</p>`
      : ''
  const counts = levels.flatMap((level) => {
    const { length } = ranked.filter((one) => one.level === level)
    return length === 0 ? [] : [`${number(length)} ${levelWords[level]}`]
  })
  return html`<section id="tenants" aria-labelledby="tenants-title"><h2 id="tenants-title">${plural(postures.length, 'tenant')}</h2>
<p class="count-line" id="tenants-sum" role="status" aria-live="polite">${counts.join(', ')}${find === '' ? '' : `; ${number(found.length)} found by name`}</p>
${isMany ? finder(find) : ''}<ul class="cards">${shown.map((one) => card(one, isMany))}</ul>${more}</section>
`
}

type RankedTenant = ReturnType<typeof rankedTenant>

function rankedTenant(posture: TenantPosture) {
  const { level } = describePosture(posture)
  return { posture, quality: dataQualityOf(posture), sums: tally(posture), level }
}

function worse(a: RankedTenant, b: RankedTenant): number {
  return (
    levels.indexOf(a.level) - levels.indexOf(b.level) ||
    b.sums.open.critical - a.sums.open.critical ||
    b.sums.open.high - a.sums.open.high ||
    b.sums.shown.unknown - a.sums.shown.unknown
  )
}

function finder(find: string): Html {
  return html`<form class="filter" id="find" action="./" method="get" aria-label="Find a tenant"><label class="grow">Name <input type="search" name="find" id="find-name" value="${find}" maxlength="200" autocomplete="off" spellcheck="false"></label><button type="submit">Find</button></form>
`
}

function card({ posture, quality, sums, level }: RankedTenant, isMany: boolean): Html {
  const { tenant } = posture
  const href = isMany ? hrefOf({}, { tenant }) : `#tenant-${tenant}`
  const { fail, unknown, waived } = sums.shown
  const words = [
    fail > 0 ? `${number(fail)} failing` : '',
    unknown > 0 ? `${number(unknown)} unknown` : '',
    waived > 0 ? `${number(waived)} waived` : '',
    posture.holds.length > 0 ? plural(posture.holds.length, 'hold') : '',
  ].filter((word) => word !== '')
  const severe = (['critical', 'high'] as const)
    .filter((severity) => sums.open[severity] > 0)
    .map((severity) => html`${badge(`${severity} ${number(sums.open[severity])}`, severityTone[severity])} `)
  const tone = levelTone[level]
  return html`<li class="tenant-card edge-${tone}" id="card-${tenant}"><a href="${href}">${tenant}</a><span class="text-${tone}">${words.join(', ') || (level === 'ok' ? 'all pass' : 'nothing evaluated')}</span><span class="quiet-text">${quality.fresh} of ${plural(quality.of, 'resource')} fresh</span>${ownerWord(posture)}<span>${severe}</span></li>
`
}
