import { type Answer, json, text, type WebRequest } from './answer.ts'

/** An error answer: JSON under /api/, one line of text elsewhere. */
export function refuse({ path }: WebRequest, status: number, message: string, headers: Answer['headers'] = {}): Answer {
  return path.startsWith('/api/') ? json({ error: message }, status, headers) : text(status, `${message}\n`, headers)
}
