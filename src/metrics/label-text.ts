import { hash } from 'node:crypto'
import { plainId, printable } from '../model/text/printable.ts'
import { withoutEmails } from '../model/text/without-emails.ts'

const longest = 200

/** Printable text of at most 200 characters, without e-mail addresses. */
export function labelText(text: string): string {
  return withoutEmails(printable(text, longest))
}

/** The id if it cannot be a name, else a digest of it, so that no two ids have the same label. */
export function idLabel(id: string): string {
  return plainId.test(id) ? id : `sha256:${hash('sha256', id, 'hex').slice(0, 12)}`
}
