const emails = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g

/** Replaces e-mail addresses with `[e-mail]`: names of API clients and roles, not personal fields, may contain one. */
export function withoutEmails(text: string): string {
  return text.includes('@') ? text.replace(emails, '[e-mail]') : text
}

/** The same for all texts within arrays and objects. */
export function withoutEmailsIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutEmails(value)
  if (Array.isArray(value)) return value.map(withoutEmailsIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutEmailsIn(one)]))
}
