import { defaultLifeRates, type LifeRates } from './options.ts'
import type { OrderedStore } from './ordered-store.ts'
import { pick, type Random } from './random.ts'
import { documentEndings, documentTitles, firstNames, lastNames } from './seed/names.ts'
import { settleIngestion, type Tenant } from './tenant.ts'
import type { TenantControl } from './tenant-control.ts'
import { DAY } from './timestamps.ts'
import type { TenantName } from './truth.ts'

export interface LifeEvent {
  readonly tenant: TenantName
  readonly kind: keyof LifeRates | 'documentsIngested'
  readonly id: number | string
}

export interface LifeParts {
  readonly tenant: Tenant
  readonly control: TenantControl
  readonly random: Random
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly rates: Partial<LifeRates>
  readonly frozenClients: ReadonlySet<string>
}

/** Invitations are searched among the newest users only, so that the cost of a step does not depend on the tenant size. */
const recent = 500

function any<T>(store: OrderedStore<T>, random: Random): T | undefined {
  return store.at(random.below(store.size))
}

function invited(tenant: Tenant, random: Random): number | undefined {
  const from = Math.max(0, tenant.users.size - recent)
  const waiting = [...tenant.users.fromRank(from)].filter(({ state }) => state === 'Invited')
  return waiting[random.below(waiting.length)]?.userId
}

function perform(kind: keyof LifeRates, parts: LifeParts): number | string | undefined {
  const { tenant, control, random, clock, frozenClients } = parts
  switch (kind) {
    case 'invitationsAccepted': {
      const userId = invited(tenant, random)
      if (userId !== undefined) control.updateUser(userId, { state: 'Active', mfaStatus: true, mfaAction: false })
      return userId
    }
    case 'usersJoining': {
      const [firstName, first] = pick(firstNames, random.below(1000))
      const [lastName, last] = pick(lastNames, random.below(1000))
      const email = `${first}.${last}-${tenant.made + 1}@${tenant.name}.example`
      return control.addUser({ firstName, lastName, email, state: 'Invited', mfaStatus: false }).userId
    }
    case 'usersAppearingInTheMiddle':
      return control.addUserInTheMiddle().userId
    case 'usersLeaving': {
      const user = tenant.users.size > 5 ? any(tenant.users, random) : undefined
      if (user !== undefined) control.removeUser(user.userId)
      return user?.userId
    }
    case 'mfaChanges': {
      const user = any(tenant.users, random)
      if (user?.state !== 'Active') return undefined
      return control.updateUser(user.userId, { mfaStatus: !user.mfaStatus }).userId
    }
    case 'documentsUploaded': {
      const title = pick(documentTitles, random.below(1000))
      const ending = pick(documentEndings, random.below(1000))
      return control.addDocument({ filename: `${title} ${tenant.made + 1}${ending}` }).fileId
    }
    case 'documentsUpdated': {
      const document = any(tenant.documents, random)
      if (document?.uploadStatus !== 'Completed') return undefined
      return control.updateDocument(document.fileId, {}).fileId
    }
    case 'documentsDeleted': {
      const document = tenant.documents.size > 5 ? any(tenant.documents, random) : undefined
      if (document !== undefined) control.removeDocument(document.fileId)
      return document?.fileId
    }
    case 'secretsRotated': {
      const now = clock()
      const due = [...tenant.clients.after(null)].filter(
        ({ clientId, secretExpirationDate }) => !frozenClients.has(clientId) && secretExpirationDate < now + 30 * DAY,
      )
      const client = due[random.below(due.length)]
      if (client !== undefined) control.updateApiClient(client.clientId, { secretExpirationDate: now + 180 * DAY })
      return client?.clientId
    }
    default:
      return kind satisfies never
  }
}

function times(rate: number, random: Random): number {
  return Math.floor(rate) + (random.chance(rate % 1) ? 1 : 0)
}

/** One step: completes due ingestions, then performs each kind of event at its rate. */
export function liveStep(parts: LifeParts): LifeEvent[] {
  const { tenant, clock, random } = parts
  const rates = { ...defaultLifeRates, ...parts.rates }
  const events: LifeEvent[] = settleIngestion(tenant, clock()).map((id) => ({
    tenant: tenant.name,
    kind: 'documentsIngested',
    id,
  }))
  for (const kind of Object.keys(defaultLifeRates) as (keyof LifeRates)[]) {
    for (let left = times(rates[kind], random); left > 0; left--) {
      const id = perform(kind, parts)
      if (id !== undefined) events.push({ tenant: tenant.name, kind, id })
    }
  }
  return events
}
