import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { WebAccess } from './web-options.ts'

export interface WebEnv {
  readonly Bindings: HttpBindings
  /** Read once a request, so that a reload does not mix two configurations in one answer. */
  readonly Variables: { readonly access: WebAccess }
}

export type WebContext = Context<WebEnv>

/** An error answer: JSON under /api/, one line of text elsewhere. */
export function refuse(c: WebContext, status: ContentfulStatusCode, message: string): Response {
  if (c.req.path.startsWith('/api/')) return c.json({ error: message }, status)
  return c.text(`${message}\n`, status)
}
