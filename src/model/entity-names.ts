import { type ResourceName, resourceNames } from './resource-names.ts'

/** Personal details of the record that a finding is about; only where details may be shown. */
export interface EntityNames {
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly filename?: string | undefined
}

/** `user` are records of `users`, also where an own check calls its entities so. */
export function recordsOfEntity(type: string): ResourceName | undefined {
  return resourceNames.find((name) => entityTypeOf(name) === type)
}

export function entityTypeOf(resource: string): string {
  return resource.replace(/s$/, '')
}

/** Of the personal fields of a record. */
export function namesOf(fields: Readonly<Record<string, unknown>>): EntityNames {
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field].trim() : '')
  const stated = {
    name: `${text('firstName')} ${text('lastName')}`.trim(),
    email: text('email'),
    filename: text('filename'),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== ''))
}

/** Name, e-mail and file name where they are known. */
export function namesIn({ name, email, filename }: EntityNames): readonly string[] {
  return [name, email, filename].filter((text) => text !== undefined)
}

/** Type and id; once where the settings of a tenant have their type as id. */
export function entityWords({ type, id }: { readonly type: string; readonly id: string }): readonly string[] {
  return type === id ? [id] : [type, id]
}
