import type { ClientSecret, SecretView } from '../../model/client-secret.ts'
import type { MirrorRecord, RecordReader } from '../../store/records/query.ts'
import { idLabel, labelText } from '../label-text.ts'
import { fromMirror } from '../posture-gauge.ts'
import type { InventoryGauge } from '../series-config.ts'

/**
 * Exported before a full sync is complete, because the expiry of a secret only depends on its client. `client_id` is
 * the key of the mirror: a GUID in lower case, a digest of any other id that may be a name.
 */
const expirations: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_expiration_timestamp_seconds',
  help: `When the secret of an API client expires, in seconds since the epoch; days left are (x - time()) / 86400. ${fromMirror}`,
  labelNames: ['client_id'],
  async read({ secrets }, add) {
    for (const { clientId, expiresAt } of await secrets()) add(expiresAt / 1000, idLabel(clientId))
  },
}

const expiryChecks = { expired: 'api-client-secret-not-expired', expiring: 'api-client-secret-not-expiring' } as const

const waived: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_waived',
  help: `1 when a waiver accepts that the secret of an API client has expired or, before, that it expires soon; else 0. ${fromMirror}`,
  labelNames: ['client_id'],
  async read({ waived, secrets, now }, add) {
    const [expired, expiring] = [await waived(expiryChecks.expired), await waived(expiryChecks.expiring)]
    for (const { clientId, expiresAt } of await secrets()) {
      // Without new data, the finding of a secret that expires soon stays open, and waived, after the expiry.
      add(Number((expiresAt <= now ? expired : expiring).has(clientId)), idLabel(clientId))
    }
  },
}

/** For alerts, which use the last known series while the daemon is down: until when a secret is waived. */
const waivedUntil: InventoryGauge = {
  name: 'tenantwatch_api_client_secret_waived_until_timestamp_seconds',
  help: `Until when a waiver accepts the open finding of a check about the expiry of a secret, in seconds since the epoch; absent without one. ${fromMirror}`,
  labelNames: ['client_id', 'check'],
  async read({ waived }, add) {
    for (const check of Object.values(expiryChecks))
      for (const [clientId, untilMs] of await waived(check)) add(untilMs / 1000, idLabel(clientId), check)
  },
}

const infos: InventoryGauge = {
  name: 'tenantwatch_api_client_info',
  help: `Always 1; the labels have the name and role of an API client, to be joined by client_id. ${fromMirror}`,
  labelNames: ['client_id', 'client_name', 'role'],
  async read({ secrets }, add) {
    for (const { clientId, name, role } of await secrets())
      add(1, idLabel(clientId), labelText(name ?? ''), labelText(role ?? ''))
  },
}

const own: InventoryGauge = {
  name: 'tenantwatch_own_client_secret_expiration_timestamp_seconds',
  help: `When the secret of the API client that the daemon itself uses (ownClientId) expires, in seconds since the epoch; after that no data can be read. ${fromMirror}`,
  labelNames: [],
  async read({ settings, secrets }, add) {
    const id = settings.ownClientId?.toLowerCase()
    if (id === undefined) return
    for (const { clientId, expiresAt } of await secrets()) if (clientId.toLowerCase() === id) add(expiresAt / 1000)
  },
}

export const apiClientsGauges: readonly InventoryGauge[] = [expirations, infos, own, waived, waivedUntil]

/** Secrets by expiry, the earliest first; `ownClientId` in any letter case. */
export async function readClientSecrets(
  reader: RecordReader,
  ownClientId: string | null = null,
): Promise<readonly SecretView[]> {
  const ownId = ownClientId?.toLowerCase()
  const secrets = await readSecrets(reader)
  return secrets
    .map((client) => ({ ...client, own: client.clientId.toLowerCase() === ownId }))
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
}

/** Sorted by client id. */
export async function readSecrets(reader: RecordReader): Promise<readonly ClientSecret[]> {
  const secrets: ClientSecret[] = []
  for await (const batch of reader.select('api-clients'))
    secrets.push(...batch.flatMap((record) => toClient(record) ?? []))
  return secrets
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
