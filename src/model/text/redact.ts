import { isNumberOrGuid } from '../guid.ts'
import { resourceNames } from '../resource-names.ts'

/** Shown in place of a value that may name a person or a file. */
export const hidden = '[hidden]'

/** Shows only whether there is a value. */
export function hiddenValue(value: unknown): unknown {
  return value === null || value === undefined ? value : hidden
}

export function withoutWaiverDetails<
  T extends { readonly owner: string; readonly reason: string; readonly entity: string },
>(waiver: T): T {
  const { entity } = waiver
  const isPlain = entity === '*' || isNumberOrGuid(entity) || resourceNames.some((name) => name === entity)
  return { ...waiver, owner: hidden, reason: hidden, entity: isPlain ? entity : hidden }
}

const emails = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g

/** A value of a record as outputs without details show it. */
export function valueWithoutDetails(value: unknown, isPersonal: boolean): unknown {
  return isPersonal ? hiddenValue(value) : withoutEmailsIn(value)
}

/** Replaces e-mail addresses with `[e-mail]`: names of API clients and roles, and unknown states, not personal fields, may contain one. */
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
