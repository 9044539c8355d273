import { type Answer, type Asked, json, text } from './answer.ts'

/** An answer that is an error: JSON under /api/, one line of text elsewhere. */
export function refuse({ path }: Asked, status: number, message: string, headers: Answer['headers'] = {}): Answer {
  return path.startsWith('/api/') ? json({ error: message }, status, headers) : text(status, `${message}\n`, headers)
}
