import type { Collection } from './collection.ts'
import { DAY } from './fields.ts'
import { pick, type Random } from './random.ts'
import type { TenantName } from './seed-access.ts'
import { documentEndings, documentTitles, firstNames, lastNames } from './seed-feeds.ts'
import type { Tenant } from './tenant.ts'

const defaultRates = {
  invitationsAccepted: 0.6,
  usersJoining: 0.7,
  usersLeaving: 0.3,
  mfaChanges: 0.8,
  documentsUploaded: 0.7,
  documentsUpdated: 0.5,
  documentsDeleted: 0.1,
  secretsRotated: 0.2,
}

/** Expected number of events per tenant and step. */
export type LifeRates = Readonly<typeof defaultRates>

export interface LifeEvent {
  readonly tenant: TenantName
  readonly kind: keyof LifeRates | 'documentsIngested'
  readonly id: number | string
}

export interface LifeParts {
  readonly tenant: Tenant
  readonly random: Random
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly rates: Partial<LifeRates>
  /** The API client whose secret stays expired. */
  readonly expiredClient: string
}

/** Invitations are searched among the newest users only, so that the cost of a step does not depend on the tenant size. */
const recent = 500

function any<T>(records: Collection<T>, random: Random): T | undefined {
  return records.at(random.below(records.size))
}

/** Performs an event where it finds a record for it; returns the id of the record. */
function perform(
  kind: keyof LifeRates,
  { tenant, random, clock, expiredClient }: LifeParts,
): number | string | undefined {
  const { users, documents, 'api-clients': clients } = tenant
  switch (kind) {
    case 'invitationsAccepted': {
      const waiting = users.records
        .all()
        .slice(-recent)
        .filter(({ state }) => state === 'Invited')
      const user = waiting[random.below(waiting.length)]
      return user && users.update(user.userId, { state: 'Active', mfaStatus: true, mfaAction: false }).userId
    }
    case 'usersJoining': {
      const [firstName, first] = pick(firstNames, random.below(1000))
      const [lastName, last] = pick(lastNames, random.below(1000))
      const email = `${first}.${last}-${tenant.lastMade() + 1}@${tenant.name}.example`
      return users.add({ firstName, lastName, email, state: 'Invited', mfaStatus: false }).userId
    }
    case 'usersLeaving': {
      const user = users.records.size > 5 ? any(users.records, random) : undefined
      if (user !== undefined) users.remove(user.userId)
      return user?.userId
    }
    case 'mfaChanges': {
      const user = any(users.records, random)
      if (user?.state !== 'Active') return undefined
      return users.update(user.userId, { mfaStatus: !user.mfaStatus }).userId
    }
    case 'documentsUploaded': {
      const title = pick(documentTitles, random.below(1000))
      const ending = pick(documentEndings, random.below(1000))
      return documents.add({ filename: `${title} ${tenant.lastMade() + 1}${ending}` }).fileId
    }
    case 'documentsUpdated': {
      const document = any(documents.records, random)
      if (document?.uploadStatus !== 'Completed') return undefined
      return documents.update(document.fileId, {}).fileId
    }
    case 'documentsDeleted': {
      const document = documents.records.size > 5 ? any(documents.records, random) : undefined
      if (document !== undefined) documents.remove(document.fileId)
      return document?.fileId
    }
    case 'secretsRotated': {
      const soon = clock() + 30 * DAY
      const due = clients.records
        .all()
        .filter(({ clientId, secretExpirationDate }) => clientId !== expiredClient && secretExpirationDate < soon)
      const client = due[random.below(due.length)]
      return client && clients.update(client.clientId, { secretExpirationDate: clock() + 180 * DAY }).clientId
    }
    default:
      return kind satisfies never
  }
}

/** One step: completes due ingestions, then performs each kind of event at its rate. */
export function liveStep(parts: LifeParts): LifeEvent[] {
  const { tenant, random } = parts
  const events: LifeEvent[] = tenant.settleIngestion().map((id) => ({
    tenant: tenant.name,
    kind: 'documentsIngested',
    id,
  }))
  const rates = Object.entries({ ...defaultRates, ...parts.rates }) as [keyof LifeRates, number][]
  for (const [kind, rate] of rates) {
    for (let left = Math.floor(rate) + (random.chance(rate % 1) ? 1 : 0); left > 0; left--) {
      const id = perform(kind, parts)
      if (id !== undefined) events.push({ tenant: tenant.name, kind, id })
    }
  }
  return events
}
