import type { CheckContext, Evaluator } from '../../evaluate/check.ts'
import { digestOf } from '../../evaluate/digest.ts'
import { memoizeWeakly } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { firstOf, isKnownWord } from '../../model/text/words.ts'
import { minuteMs } from '../../model/time.ts'
import type { ChangeRow, MirrorRecord } from '../../store/records/query.ts'
import { factsOf, quoted, textOf } from './records.ts'

export interface MirroredRole {
  readonly roleId: number
  readonly name: string
  readonly state: unknown
  readonly codes: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Roles {
  readonly byId: ReadonlyMap<number, MirroredRole>
  readonly byName: ReadonlyMap<string, readonly MirroredRole[]>
}

/** All roles of the tenant; names are compared as sent. */
export const rolesIn = memoizeWeakly((records: readonly MirrorRecord[]): Roles => {
  const roles = records.map(toRole)
  return {
    byId: new Map(roles.map((role) => [role.roleId, role])),
    byName: Map.groupBy(roles, ({ name }) => name),
  }
})

/** Fields of a role of which a change can change the result of a check. */
const granting: ReadonlySet<string | null> = new Set(['permissions', 'state'])

/**
 * Since when a name stands for its present roles, and since when a role by id is as it is, in milliseconds since the epoch,
 * as far as the list of roles shows a change: a user or client that was read before may have another role by now.
 */
function rolesSince({ changesOfNeeded, needed, now }: CheckContext) {
  const since = new Map<unknown, number>()
  const granted = new Map<number | null, number>()
  const gone = new Map<number | null, number>()
  const present = new Map(needed('roles').map(({ key, fields }) => [key, fields['name']]))
  const { byName } = rolesIn(needed('roles'))
  for (const { kind, key, field, before, after, at } of changesOfNeeded('roles')) {
    // Its clock was wrong.
    if (at > now) continue
    if (field === 'name') since.set(before, at).set(after, at)
    else if (kind === 'removed') {
      since.set((before as MirrorRecord['fields'] | null)?.['name'], at)
      if (!present.has(key)) gone.set(Number(key), at)
    } else if (kind !== 'changed') since.set(present.get(key), at)
    else if (granting.has(field)) {
      since.set(present.get(key), at)
      granted.set(Number(key), at)
    }
  }
  return {
    named: (name: string | null) => since.get(name) ?? 0,
    granted: (roleId: number | null) => granted.get(roleId) ?? 0,
    gone: (roleId: number | null, name: string | null) =>
      name !== null && byName.has(name) ? (gone.get(roleId) ?? 0) : 0,
  }
}

/** Roles are read at most this long after the clients and users of the same round, whose names they have then. */
const roundMs = minuteMs

interface RoleNames extends Required<Pick<Evaluator, 'readsHistoryOf'>> {
  readonly meansAnother: (record: MirrorRecord, history: readonly ChangeRow[]) => boolean
  /**
   * True if the role that a record had by id was changed or removed since: the record may have another one by now. After a
   * removal only another reading of the id tells, because a list shows the name alone.
   */
  readonly isOutdated: (record: MirrorRecord, roleId: number | null, idReadAt: number) => boolean
}

/**
 * Whether a record's role name may mean another role than the list of roles has: it was read before the name stood for
 * these roles, as far as they were read by then, or was given since they were read.
 */
export function roleNamesOf(context: CheckContext, resource: ResourceName): RoleNames {
  const since = rolesSince(context)
  const [readBy, rolesAt] = [context.readInFullBy(resource), context.readInFullAt('roles')]
  const firstAt = context.firstReadInFullAt('roles')
  // A clock that was wrong may be years ahead: then the last complete reading tells.
  const past = (at: number) => (at > context.now ? 0 : at)
  const isNewer = ({ readAt }: MirrorRecord) => past(readAt) > rolesAt
  const knownBy = ({ readAt }: MirrorRecord) => Math.max(past(readAt), readBy)
  const isGiven = ({ kind, field }: ChangeRow) => kind !== 'changed' || field === 'roleName' || field === 'roleId'
  return {
    readsHistoryOf: (record) => isNewer(record) && record.readAt !== record.firstSeenAt,
    meansAnother(record, history) {
      if (isNewer(record) && (history.findLast(isGiven)?.at ?? record.firstSeenAt) > rolesAt) return true
      const namedSince = Math.max(firstAt, since.named(textOf(record, 'roleName')))
      return namedSince - roundMs > knownBy(record)
    },
    isOutdated: (record, roleId, idReadAt) =>
      since.granted(roleId) - roundMs > Math.max(knownBy(record), past(idReadAt)) ||
      since.gone(roleId, textOf(record, 'roleName')) > past(idReadAt),
  }
}

export function toRole(record: MirrorRecord): MirroredRole {
  const { roleId, name, state, permissions } = record.fields
  if (!Array.isArray(permissions)) throw new TypeError(`The mirror has no permissions of role ${record.key}`)
  return {
    roleId: Number(roleId),
    name: String(name),
    state,
    codes: [...new Set(permissions.map(codeOf))].sort(),
    facts: factsOf(record, ['roleId', 'name', 'state']),
  }
}

/** Null in a state that nobody knows: the role may be active or not. */
export function isActiveRole({ state }: MirroredRole, knownStates: readonly string[]): boolean | null {
  if (state === 'Active') return true
  return isKnownWord(knownStates, state) ? false : null
}

function codeOf(permission: unknown): string {
  if (typeof permission === 'object' && permission !== null && 'code' in permission) return String(permission.code)
  throw new TypeError('A mirrored role has a permission without a code')
}

type Evidence = Readonly<Record<string, unknown>>

/** Every finding stores its evidence, so longer lists are stored as beginning, length and digest. */
const longestList = 20

export function boundedList(name: string, all: readonly unknown[]): Evidence {
  if (all.length <= longestList) return { [name]: all }
  const digest = digestOf(all).slice(0, 16)
  return { [name]: all.slice(0, longestList), [`${name}Count`]: all.length, [`${name}Digest`]: digest }
}

/** Facts of these roles as evidence. */
export const rolesEvidence = memoizeWeakly((roles: readonly MirroredRole[]): Evidence => {
  return boundedList(
    'roles',
    roles.map(({ facts }) => facts),
  )
})

interface Excess {
  /** Empty when the roles grant no such code. */
  readonly codes: string
  readonly evidence: Evidence
}

/** Codes that roles grant in excess, and these roles. */
export function excessOf(roles: readonly MirroredRole[], isExcess: (code: string) => boolean): Excess {
  const offending = roles.filter((role) => role.codes.some(isExcess))
  const codes = [...new Set(offending.flatMap((role) => role.codes.filter(isExcess)))].sort()
  return { codes: firstOf(codes, 5), evidence: { ...boundedList('excess', codes), ...rolesEvidence(offending) } }
}

export function clientTitle(client: MirrorRecord): string {
  const name = textOf(client, 'name')
  return name === null ? `API client ${client.key}` : `API client ${quoted(name)} (${client.key})`
}

/** The roles with the client's role name; null without a name. */
export function rolesOfClient(client: MirrorRecord, { byName }: Roles): readonly MirroredRole[] | null {
  const name = textOf(client, 'roleName')
  return name === null ? null : (byName.get(name) ?? [])
}
