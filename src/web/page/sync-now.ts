import { html } from 'hono/html'
import type { TenantPage } from './load-page.ts'
import type { Html } from './text.ts'

/** A button that syncs what is due of the tenant, or reads one resource in full; empty where nobody may. */
export function syncButton(
  { posture: { tenant }, maySync }: Pick<TenantPage, 'posture' | 'maySync'>,
  word: string,
  resource?: string,
): Html | string {
  if (!maySync) return ''
  const asked = new URLSearchParams({ tenant, ...(resource !== undefined && { resource, mode: 'full' }) })
  return html`<form class="sync" action="./-/sync?${asked}" method="post"><button type="submit">${word}</button></form>`
}
