import { DAY, HOUR, type Kept, MINUTE } from './fields.ts'
import { guidWithHead, mix, pick } from './random.ts'

/** What the records of a tenant are made from. */
export interface TenantSeed {
  readonly tenant: 'primary' | 'second'
  readonly seed: number
  /** Reference time of dates, epoch milliseconds. */
  readonly now: number
  /** Whether there is one record of each kind of problem. */
  readonly problems: boolean
}

interface FeedSeed extends TenantSeed {
  readonly count: number
}

interface UserSeed extends FeedSeed {
  readonly roles: readonly Kept<'roles'>[]
  /** Smallest user id. */
  readonly firstId: number
}

/** Instants spread evenly over the time before `now`, each a little off by chance. */
function spreadOver(span: number, until: number, count: number, { now, seed }: FeedSeed, salt: number) {
  const spacing = (span - until) / Math.max(1, count)
  return (index: number) => {
    const jitter = mix(seed ^ salt, index) / 0x1_0000_0000
    return Math.floor(now - span + (index + jitter) * spacing)
  }
}

/** Ages of the newest users in days: with problems, invitations that wait. */
const tailAges = [40, 20, 3] as const

/** The initial users, oldest first; every fiftieth pair has the same time. */
export function seedUsers(of: UserSeed): Kept<'users'>[] {
  const { tenant, seed, count, now, problems, firstId } = of
  const roles = of.roles.filter(({ type }) => type === 'User')
  const active = roles.filter(({ state }) => state === 'Active').map(({ roleId }) => roleId)
  const inactive = roles.find(({ state }) => state !== 'Active')?.roleId
  const commonRole = active[0] ?? 0
  const body = count - Math.min(tailAges.length, count)
  const spread = spreadOver(3 * 365 * DAY, 41 * DAY, body, of, 0x51ed)

  function createdAt(index: number): number {
    if (index >= body) return now - (tailAges.at(index - count) ?? 0) * DAY - HOUR
    return spread(index % 50 === 7 ? index - 1 : index)
  }

  function roleAt(index: number, hash: number): number {
    if (problems && inactive !== undefined && (index === 2 || hash % 97 === 0)) return inactive
    return hash % 3 === 0 ? (active[(hash >>> 4) % active.length] ?? commonRole) : commonRole
  }

  return Array.from({ length: count }, (_, index) => {
    const hash = mix(seed ^ 0x2f0b, index)
    const [firstName, firstAscii] = pick(firstNames, hash)
    const [lastName, lastAscii] = pick(lastNames, hash >>> 8)
    const isInvited = problems && (index >= body || (index > 2 && hash % 211 === 0))
    const isEnrolled = !isInvited && (!problems || (index !== 1 && hash % 13 !== 0))
    return {
      userId: firstId + index * 3 + (mix(seed, index) % 3),
      firstName,
      lastName,
      email: `${firstAscii}.${lastAscii}.${index}@${tenant}.example`,
      state: isInvited ? 'Invited' : 'Active',
      mfaStatus: isEnrolled,
      mfaAction: !isEnrolled && hash % 2 === 0,
      roleId: roleAt(index, mix(hash, 7)),
      roleName: null,
      createdAt: createdAt(index),
      raw: {},
    }
  })
}

/** The newest documents of a tenant with problems, the oldest first. */
const tailCases = [
  { age: 5 * DAY, uploadStatus: 'Quarantined' },
  { age: 4 * DAY, uploadStatus: null },
  { age: 3 * DAY, uploadStatus: 'Processing' },
  { age: HOUR, uploadStatus: 'Processing' },
] as const

/** The initial documents, the least recently updated first; with problems some file names occur twice. */
export function seedDocuments(of: FeedSeed): Kept<'documents'>[] {
  const { seed, count, now, problems } = of
  const body = problems ? count - Math.min(tailCases.length, count) : count
  const spread = spreadOver((problems ? 3 * 365 : 200) * DAY, 6 * DAY, body, of, 0x3c6e)

  function timesAt(index: number, hash: number): Pick<Kept<'documents'>, 'createdAt' | 'updatedAt'> {
    const tail = index < body ? undefined : tailCases.at(index - count)
    if (tail !== undefined) return { createdAt: now - tail.age, updatedAt: null }
    const time = spread(index)
    if (hash % 3 === 0) return { createdAt: time, updatedAt: null }
    const delay = hash % 3 === 1 ? 5 * MINUTE + (hash % 999) : HOUR + (hash % (30 * DAY))
    return { createdAt: time - delay, updatedAt: time }
  }

  return Array.from({ length: count }, (_, index) => {
    const named = problems && index % 23 === 11 ? index - 1 : index
    const hash = mix(seed ^ 0x77aa, named)
    const unit = pick(documentUnits, hash >>> 5)
    const tail = index < body ? undefined : tailCases.at(index - count)
    return {
      fileId: guidWithHead((Math.imul(index, 0x9e3779b1) ^ seed) >>> 0, seed),
      filename: `${pick(documentTitles, hash)} ${unit} ${named + 1}${pick(documentEndings, hash >>> 11)}`,
      uploadStatus: tail === undefined ? 'Completed' : tail.uploadStatus,
      ...timesAt(index, mix(seed ^ 0x1b87, index)),
      raw: {},
    }
  })
}

/** First names, each with its form in e-mail addresses. */
export const firstNames = [
  ['Amara', 'amara'],
  ['Zoë', 'zoe'],
  ['Łukasz', 'lukasz'],
  ['José', 'jose'],
  ['Søren', 'soren'],
  ['Nguyễn', 'nguyen'],
  ['Ольга', 'olga'],
  ['美咲', 'misaki'],
  ['Aoife', 'aoife'],
  ['Jürgen', 'juergen'],
  ['Mary Ann', 'mary-ann'],
  ['Ibrahim', 'ibrahim'],
  ['Priya', 'priya'],
  ['Noah', 'noah'],
  ['Elif', 'elif'],
  ['محمد', 'mohammed'],
  ['Chloe', 'chloe'],
  ['Björk', 'bjork'],
  ['Ines', 'ines'],
  ['Dmitri', 'dmitri'],
] as const

export const lastNames = [
  ["O'Brien", 'obrien'],
  ['García Márquez', 'garcia'],
  ['Müller', 'mueller'],
  ['van den Berg', 'vandenberg'],
  ['Ångström', 'angstrom'],
  ['Kowalczyk', 'kowalczyk'],
  ['Smith', 'smith'],
  ['Øverland', 'overland'],
  ['田中', 'tanaka'],
  ['Иванова', 'ivanova'],
  ['Nkemelu', 'nkemelu'],
  ['Yılmaz', 'yilmaz'],
  ['St. John', 'st-john'],
  ['Patel', 'patel'],
  ['Dvořák', 'dvorak'],
  ['Lopez-Diaz', 'lopez-diaz'],
  ['de Souza', 'desouza'],
] as const

export const documentTitles = [
  'SOC 2 Type II report',
  'ISO 27001 certificate',
  'Penetration test summary',
  'Information security policy',
  'Business continuity plan',
  'Data processing agreement',
  'Access review',
  'Incident response playbook',
  'Vendor risk assessment',
  'Richtlinie für Zugriffsrechte',
  'Política de privacidad',
  'Backup restore evidence',
  'Training records, "all hands"',
] as const

export const documentUnits = ['Finance', 'Platform', 'HR', 'Sales', 'Legal', 'Zürich', 'Operations'] as const

export const documentEndings = ['.pdf', '.docx', '.xlsx', '.PDF', '.pptx'] as const

export const integrationNames = [
  'Warehouse sync',
  'Ticket bridge',
  'Payroll feed',
  'SIEM forwarder',
  'BI export',
] as const
