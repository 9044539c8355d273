import { html } from 'hono/html'
import type { PageData } from './load-page.ts'
import { overview } from './overview.ts'
import { hrefOf, wholePage } from './page-query.ts'
import { tenant } from './tenant.ts'
import { type Html, plural } from './text.ts'
import { stamp } from './times.ts'

/** Seconds between two refreshes: by the script, by the script with many tenants, and without a script. */
const refresh = { script: 20, many: 60, plain: 60 }

/** The status page, in one piece per tenant. */
export async function* renderPage(data: PageData): AsyncGenerator<string> {
  const { now, query, tenants, load } = data
  yield String(await head(data))
  for (const posture of tenants) yield String(await tenant(await load(posture), query, now))
  yield foot
}

function head(data: PageData): Html {
  const { version, now, query, postures, tenants } = data
  const title = query.tenant === null ? plural(postures.length, 'tenant') : query.tenant
  const back =
    query.tenant === null
      ? ''
      : html`<nav aria-label="Tenants"><a href="${hrefOf(wholePage, {})}">All tenants</a></nav>`
  const seconds = postures.length > 0 && tenants.length === 0 ? refresh.many : refresh.script
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<noscript><meta http-equiv="refresh" content="${refresh.plain}"></noscript>
<title>tenantwatch: ${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<header><h1><img src="/favicon.svg" alt="" width="24" height="24"> tenantwatch <small>${version}</small></h1>${back}<p class="asof" id="asof">as of ${stamp(now)}</p></header>
<p class="outdated" id="outdated" role="alert" hidden=""></p>
<main id="main" data-refresh="${seconds}">
${intro(data)}`
}

const foot = `</main>
<footer><a href="/metrics">metrics</a> <a href="/api/v1/status">status</a> <a href="/api/v1/checks">checks</a> <a href="/api/v1/findings">findings</a> <a href="/calendar.ics">calendar</a><span>Refreshed automatically from the mirror; ages are as of the last refresh.</span></footer>
</body>
</html>
`

function intro(data: PageData): Html {
  const { exposeDetails, postures } = data
  const hidden = exposeDetails
    ? ''
    : html`<p class="note">Names of persons, e-mails and file names are hidden on this address.</p>`
  if (postures.length === 0) return html`${hidden}<p class="empty">No tenant is configured.</p>`
  return html`${hidden}${overview(data)}`
}
