import { guidFor, mix, pick } from '../random.ts'
import { DAY, MINUTE } from '../timestamps.ts'
import type { ClientTruth, TenantName } from '../truth.ts'
import { integrationNames } from './names.ts'
import { type TokenName, tokenNames, tokenSeed } from './tokens.ts'

export interface ClientSeed {
  readonly tenant: TenantName
  readonly seed: number
  /** Minimum number; clients of tokens and problems always exist. */
  readonly count: number
  /** Reference time of dates, epoch milliseconds. */
  readonly now: number
  readonly problems: boolean
}

/** Names, roles and days until the secret expires, one for each kind of problem. */
const problemClients = [
  ['Old importer', 'Compliance Reader', -5],
  ['Backup robot', 'Compliance Reader', 3],
  ['Warehouse export', 'Compliance Reader', 20],
  ['Forever integration', 'Compliance Reader', 900],
  ['Badge printer', 'User Provisioning', 150],
  ['Orphaned script', 'Deleted role', 150],
  ['Ambiguous reporter', 'Viewer', 150],
  ['Connector from 2019', 'Legacy connector', 150],
] as const

export function clientIdOf(name: TokenName, seed: number): string {
  return guidFor(seed ^ 0x6b1d, tokenNames().indexOf(name))
}

export function seedClients({ tenant, seed, count, now, problems }: ClientSeed): ClientTruth[] {
  const clients: ClientTruth[] = []
  const add = (clientId: string, name: string, roleName: string, days: number) => {
    const createdAt = now - 300 * DAY + clients.length * MINUTE
    clients.push({ clientId, name, roleName, secretExpirationDate: now + days * DAY, createdAt, raw: {} })
  }
  for (const name of tokenNames()) {
    const token = tokenSeed(name)
    if (token.tenant !== tenant) continue
    const days = problems && name === 'expired' ? -30 : 200
    add(clientIdOf(name, seed), token.client, problems ? token.role : 'Compliance Reader', days)
  }
  if (problems) {
    for (const [name, role, days] of problemClients) add(guidFor(seed, clients.length), name, role, days)
  }
  for (let n = 1; clients.length < count; n++) {
    const days = 60 + (mix(seed, n) % 240)
    add(guidFor(seed, clients.length), `${pick(integrationNames, mix(seed, n))} ${n}`, 'Compliance Reader', days)
  }
  return clients
}
