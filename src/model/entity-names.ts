import { type ResourceName, resourceNames } from './resource-names.ts'

/** Personal details of the record that a finding is about; only where details may be shown. */
export interface EntityNames {
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly filename?: string | undefined
}

/** `user` means records of `users`, also if an own check uses the type. */
export function recordsOfEntity(type: string): ResourceName | undefined {
  return resourceNames.find((name) => entityTypeOf(name) === type)
}

/** The records whose ids entities of the type have. The permissions of a role outlive its record. */
export function recordsNamedBy(type: string): ResourceName | undefined {
  return type === 'role-permissions' ? 'roles' : recordsOfEntity(type)
}

/** Derived entities whose ids name no person and no file: words of the specification or the configuration. */
const plainTypes: ReadonlySet<string> = new Set(['authentication-settings', 'document-requirement'])

/** True for entities whose ids are public: records, by number or GUID, and those that are listed. */
export function hasPlainIds(type: string): boolean {
  return recordsNamedBy(type) !== undefined || plainTypes.has(type)
}

export function entityTypeOf(resource: string): string {
  return resource.replace(/s$/, '')
}

/** The names in the personal fields of a record. */
export function namesOf(fields: Readonly<Record<string, unknown>>): EntityNames {
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field].trim() : '')
  const stated = {
    name: `${text('firstName')} ${text('lastName')}`.trim(),
    email: text('email'),
    filename: text('filename'),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== ''))
}

/** The known ones of name, e-mail address and file name. */
export function namesIn({ name, email, filename }: EntityNames): readonly string[] {
  return [name, email, filename].filter((text) => text !== undefined)
}

/** Type and id; one word for the settings of a tenant, whose id is their type. */
export function entityWords({ type, id }: { readonly type: string; readonly id: string }): readonly string[] {
  return type === id ? [id] : [type, id]
}
