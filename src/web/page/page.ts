import { html } from 'hono/html'
import type { TenantPosture } from '../../model/posture.ts'
import { tally } from '../tally.ts'
import { trustOf } from '../trust.ts'
import type { PageData } from './load-page.ts'
import { tenant } from './tenant.ts'
import { type Html, plural } from './text.ts'
import { stamp } from './times.ts'
import { verdict } from './verdict.ts'

/** The status page: whole without a script, told anew each minute. */
export function renderPage({ version, now, exposeDetails, tenants }: PageData): Html {
  const names = tenants.map(({ posture }) => posture.tenant)
  const nav =
    names.length > 1 ? html`<nav aria-label="Tenants">${tenants.map(({ posture }) => jump(posture))}</nav>` : ''
  const hidden = exposeDetails
    ? ''
    : html`<p class="note">Names of persons, e-mails and file names are hidden on this address.</p>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="60">
<title>tenantwatch: ${plural(names.length, 'tenant')}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><h1><img src="/favicon.svg" alt="" width="24" height="24"> tenantwatch <small>${version}</small></h1>${nav}<p class="asof">as of ${stamp(now)}</p></header>
<main>
${hidden}${tenants.length === 0 ? html`<p class="empty">No tenant is configured.</p>` : tenants.map((page) => tenant(page, now))}</main>
<footer><a href="/metrics">metrics</a> <a href="/api/v1/status">status</a> <a href="/api/v1/checks">checks</a> <a href="/api/v1/findings">findings</a><span>Told anew each minute from the mirror; ages are counted at each look.</span></footer>
</body>
</html>
`
}

/** A link to a tenant's part of the page, in the colour of its verdict. */
function jump(posture: TenantPosture): Html {
  const { tone } = verdict(posture, trustOf(posture), tally(posture))
  return html`<a class="badge ${tone}" href="#tenant-${posture.tenant}">${posture.tenant}</a> `
}
