import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod'
import type { WebAccess } from './web-options.ts'

export interface WebEnv {
  readonly Bindings: HttpBindings
  /** Read once a request, so that a reload does not mix two configurations in one answer. */
  readonly Variables: { readonly access: WebAccess }
}

export type WebContext = Context<WebEnv>

/** A path with its one method (GET includes HEAD); the OpenAPI document is made from this table. */
export interface Route<Q extends z.ZodObject = z.ZodObject> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly id: string
  readonly summary: string
  /** Accepted parameters, each at most once. Absent = parameters are ignored. */
  readonly query?: Q
  readonly body: { readonly type: string; readonly description: string }
  /** How a wrong query is refused, if not like any other request. */
  readonly refuse?: (c: WebContext, message: string) => Response | Promise<Response>
  handle(c: WebContext, query: z.output<Q>): Response | Promise<Response>
}

/** An error answer: JSON under /api/, one line of text elsewhere. */
export function refuse(c: WebContext, status: ContentfulStatusCode, message: string): Response {
  if (c.req.path.startsWith('/api/')) return c.json({ error: message }, status)
  return c.text(`${message}\n`, status)
}
