import { recordsNamedBy } from './entity-names.ts'
import type { FindingIdentity } from './finding.ts'
import { isNumberOrGuid } from './guid.ts'
import { isMatch } from './text/glob.ts'

/** The kinds of entities that owners are found by and links lead to, with the placeholder of their id in a link. */
export const entityKinds = { user: 'userId', client: 'clientId', role: 'roleId', document: 'documentId' } as const
export type EntityKind = keyof typeof entityKinds

type Patterns = Readonly<Partial<Record<EntityKind | 'tenant' | 'check', string | undefined>>>

/** Patterns are globs without regard to letter case. */
export interface OwnerRule extends Patterns {
  readonly name: string
}

/** Addresses in the portal; null or absent = no link. */
export type PortalUrl = Readonly<Partial<Record<EntityKind, string | null>>>

/** Each name once, in the order of the rules. */
export function ownerNames(owners: readonly OwnerRule[]): readonly string[] {
  return [...new Set(owners.map(({ name }) => name))]
}

/** What a finding is about. */
export interface OwnedSubject extends FindingIdentity {
  /** Of the person, client, role or file, as far as they are known. */
  readonly names: readonly string[]
}

const kindOfType: ReadonlyMap<string, EntityKind> = new Map([
  ['user', 'user'],
  ['api-client', 'client'],
  ['role', 'role'],
  ['role-permissions', 'role'],
  ['document', 'document'],
  ['document-name', 'document'],
  ['document-requirement', 'document'],
])

/** The owner named by the first rule that matches (docs/daily-work.md#owners-and-links); null when none does. */
export function ownerOf(owners: readonly OwnerRule[], subject: OwnedSubject): string | null {
  return owners.find((rule) => isOwned(rule, subject))?.name ?? null
}

/** True if the rule names kinds of entities. */
export function isByEntity(rule: OwnerRule): boolean {
  return (Object.keys(entityKinds) as EntityKind[]).some((kind) => rule[kind] !== undefined)
}

/** `tenant` and `check` both restrict; a rule that names kinds of entities has entities of these kinds only. */
function isOwned(rule: OwnerRule, { tenant, check, entityType, entityId, names }: OwnedSubject): boolean {
  if (!isMatch(rule.tenant ?? '*', tenant) || !isMatch(rule.check ?? '*', check)) return false
  if (!isByEntity(rule)) return true
  const kind = kindOfType.get(entityType)
  const pattern = kind && rule[kind]
  return pattern !== undefined && [entityId, ...names].some((text) => isMatch(pattern, text))
}

/**
 * The address of an entity in the portal; null without a configured one. Only ids that are numbers or GUIDs have one:
 * any other may be a name.
 */
export function portalLink(urls: PortalUrl, entityType: string, id: string): string | null {
  const kind = kindOfType.get(entityType)
  if (kind === undefined || recordsNamedBy(entityType) === undefined || !isNumberOrGuid(id)) return null
  return urls[kind]?.replaceAll(`{${entityKinds[kind]}}`, encodeURIComponent(id)) ?? null
}
