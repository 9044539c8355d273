import type { LazyBase } from '../ordered-store.ts'
import { mix, pick } from '../random.ts'
import { DAY, HOUR } from '../timestamps.ts'
import type { RoleTruth, UserTruth } from '../truth.ts'
import { firstNames, lastNames } from './names.ts'

const idStep = 3
const span = 3 * 365 * DAY

/** Ages of the newest users in days: with problems, invitations that wait 40, 20 and 3 days. */
const tailAges = [40, 20, 3] as const

export interface UserSeed {
  readonly seed: number
  readonly count: number
  /** Reference time of ages, epoch milliseconds. */
  readonly now: number
  readonly problems: boolean
  readonly roles: readonly RoleTruth[]
  readonly domain: string
  /** Smallest user id; ids of tenants do not overlap. */
  readonly firstId: number
}

/** Index of the initial user that may have this address, or -1; addresses contain the index. */
export function seededIndexOfEmail(email: string): number {
  const digits = /\.(\d{1,9})@/.exec(email)?.[1]
  return digits === undefined ? -1 : Number(digits)
}

function assignable(roles: readonly RoleTruth[]): RoleTruth[] {
  return roles.filter((role) => role.type === 'User')
}

/** The initial users of a tenant, oldest first, each computed from its index; every fiftieth pair has the same time. */
export function seedUsers({ seed, count, now, problems, roles, domain, firstId }: UserSeed): LazyBase<UserTruth> {
  const active = assignable(roles).filter((role) => role.state === 'Active')
  const inactive = assignable(roles).filter((role) => role.state !== 'Active')
  const commonRole = active[0]?.roleId ?? 0
  const tail = Math.min(tailAges.length, count)
  const body = count - tail
  const spacing = (span - 41 * DAY) / Math.max(1, body)

  const idAt = (index: number) => firstId + index * idStep + (mix(seed, index) % idStep)

  function createdAt(index: number): number {
    if (index >= body) return now - (tailAges[index - body + tailAges.length - tail] ?? 0) * DAY - HOUR
    if (index % 50 === 7) return createdAt(index - 1)
    const jitter = mix(seed ^ 0x51ed, index) / 0x1_0000_0000
    return Math.floor(now - span + (index + jitter) * spacing)
  }

  function roleAt(index: number, hash: number): number {
    if (problems && inactive.length > 0 && (index === 2 || hash % 97 === 0)) return inactive[0]?.roleId ?? commonRole
    return hash % 3 === 0 ? (active[(hash >>> 4) % active.length]?.roleId ?? commonRole) : commonRole
  }

  function recordAt(index: number): UserTruth {
    const hash = mix(seed ^ 0x2f0b, index)
    const [firstName, firstAscii] = pick(firstNames, hash)
    const [lastName, lastAscii] = pick(lastNames, hash >>> 8)
    const invited = problems && (index >= body || (index > 2 && hash % 211 === 0))
    const enrolled = !invited && (!problems || (index !== 1 && hash % 13 !== 0))
    return {
      userId: idAt(index),
      firstName,
      lastName,
      email: `${firstAscii}.${lastAscii}.${index}@${domain}`,
      state: invited ? 'Invited' : 'Active',
      mfaStatus: enrolled,
      mfaAction: !enrolled && hash % 2 === 0,
      roleId: roleAt(index, mix(hash, 7)),
      roleName: null,
      createdAt: createdAt(index),
      raw: {},
    }
  }

  return {
    size: count,
    keyAt: (index) => ({ sort: createdAt(index), id: idAt(index) }),
    recordAt,
    indexOf(id) {
      const index = typeof id === 'number' ? Math.floor((id - firstId) / idStep) : -1
      return index >= 0 && index < count && idAt(index) === id ? index : -1
    },
  }
}
