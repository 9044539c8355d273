import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** An answer that is an error: JSON under /api/, one line of text elsewhere. */
export function refuse(
  context: Context,
  status: ContentfulStatusCode,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return context.req.path.startsWith('/api/')
    ? context.json({ error: message }, status, headers)
    : context.text(`${message}\n`, status, headers)
}
