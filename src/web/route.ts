import type * as z from 'zod'
import type { WebContext } from './web-context.ts'

export type Body =
  | { readonly json: z.ZodType; readonly many?: boolean }
  | { readonly type: string; readonly description: string }

/** A path with its one method (GET includes HEAD); the OpenAPI document is made from this table. */
export interface Route<Q extends z.ZodObject = z.ZodObject> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly id: string
  readonly summary: string
  /** Accepted parameters, each at most once. Absent = parameters are ignored. */
  readonly query?: Q
  readonly body: Body
  /** Error statuses of this route in addition to those of all routes, with their meaning. */
  readonly refusals?: Readonly<Record<number, string>>
  /** How a wrong query is refused, if not like any other request. */
  readonly refuse?: (c: WebContext, message: string) => Response | Promise<Response>
  handle(c: WebContext, query: z.output<Q>): Response | Promise<Response>
}
