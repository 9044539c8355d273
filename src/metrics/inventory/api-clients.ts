import type { MirrorRecord, RecordReader } from '../../mirror/records/query.ts'
import type { ClientSecret, SecretView } from '../../model/client-secret.ts'
import { idLabel, labelText } from '../label-text.ts'
import { fromMirror } from '../posture-gauge.ts'
import type { InventoryGauge } from '../series-config.ts'

/**
 * Shown before a full sync is complete, because the expiry of a secret concerns its client alone. `client_id` is the key of
 * the mirror: a GUID in lower case, a digest of any other id that may be a name.
 */
const expirations: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_expiration_timestamp_seconds',
  help: `When the secret of an API client expires, in seconds since the epoch; days left are (x - time()) / 86400. ${fromMirror}`,
  labelNames: ['client_id'],
  read: (reader) =>
    eachClient(reader, ({ clientId, expiresAt }) => ({
      labels: { client_id: idLabel(clientId) },
      value: expiresAt / 1000,
    })),
}

const expiryChecks = { expired: 'api-client-secret-not-expired', expiring: 'api-client-secret-not-expiring' } as const

const waived: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_waived',
  help: `1 when a waiver accepts that the secret of an API client has expired or, before, that it expires soon; else 0. ${fromMirror}`,
  labelNames: ['client_id'],
  async read(reader, context) {
    const [expired, expiring] = [
      await context.waived(expiryChecks.expired),
      await context.waived(expiryChecks.expiring),
    ]
    return eachClient(reader, ({ clientId, expiresAt }) => ({
      labels: { client_id: idLabel(clientId) },
      // Without data, the finding of a secret that expires soon stays open, and waived, after the expiry.
      value: Number((expiresAt <= context.now ? expired : expiring).has(clientId)),
    }))
  },
}

/** For alerts, which go by the last known series while the daemon is away: who waived what, and until when. */
const waivedUntil: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_waived_until_timestamp_seconds',
  help: `Until when a waiver accepts the open finding of a check about the expiry of a secret, in seconds since the epoch; absent without one. ${fromMirror}`,
  labelNames: ['client_id', 'check'],
  async read(_reader, context) {
    const samples = Object.values(expiryChecks).map(async (check) =>
      [...(await context.waived(check))].map(([clientId, untilMs]) => ({
        labels: { client_id: idLabel(clientId), check },
        value: untilMs / 1000,
      })),
    )
    return (await Promise.all(samples)).flat()
  },
}

const infos: InventoryGauge = {
  name: 'tenantwatch_api_client_info',
  help: `Always 1; carries the name and role of an API client, to be joined by client_id. ${fromMirror}`,
  labelNames: ['client_id', 'client_name', 'role'],
  read: (reader) =>
    eachClient(reader, ({ clientId, name, role }) => ({
      labels: { client_id: idLabel(clientId), client_name: labelText(name ?? ''), role: labelText(role ?? '') },
      value: 1,
    })),
}

const own: InventoryGauge = {
  name: 'tenantwatch_own_client_secret_expiration_timestamp_seconds',
  help: `When the secret of the API client that the daemon itself uses (ownClientId) expires, in seconds since the epoch; after that no data can be read. ${fromMirror}`,
  labelNames: [],
  async read(reader, { settings }) {
    const id = settings.ownClientId?.toLowerCase()
    if (id === undefined) return []
    const all = await eachClient(reader, (client) => client)
    return all
      .filter(({ clientId }) => clientId.toLowerCase() === id)
      .map(({ expiresAt }) => ({ labels: {}, value: expiresAt / 1000 }))
  },
}

export const apiClientsGauges: readonly InventoryGauge[] = [expirations, infos, own, waived, waivedUntil]

/** The secret that expires first in front; `ownClientId` in any letter case. */
export async function readClientSecrets(
  reader: RecordReader,
  ownClientId: string | null = null,
): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets = await eachClient(reader, (client) => ({ ...client, own: client.clientId.toLowerCase() === ownId }))
  return secrets.toSorted((a, b) => a.expiresAt - b.expiresAt)
}

async function eachClient<T>(reader: RecordReader, map: (client: ClientSecret) => T): Promise<T[]> {
  const mapped: T[] = []
  for await (const batch of reader.select('api-clients')) {
    for (const record of batch) {
      const client = toClient(record)
      if (client !== undefined) mapped.push(map(client))
    }
  }
  return mapped
}

function toClient({ key, fields, times }: MirrorRecord): ClientSecret | undefined {
  const expiresAt = times['secretExpirationDateMs']
  if (typeof expiresAt !== 'number') return undefined
  return {
    clientId: key,
    name: textOrNull(fields['name']),
    role: textOrNull(fields['roleName']),
    expiresAt,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
