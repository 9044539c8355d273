import { defineList } from '../list.ts'
import { seedClients } from '../seed/clients.ts'
import { renderClient } from '../server/render.ts'
import { DAY } from '../timestamps.ts'
import type { ClientTruth } from '../truth.ts'
import { paginatedList } from './resource.ts'

const list = defineList<ClientTruth>({
  idField: 'clientId',
  kinds: { clientId: 'guid', name: 'string', roleName: 'string', secretExpirationDate: 'time', createdAt: 'time' },
  seed: ({ tenant, seed, sizes, now, problems }) =>
    seedClients({ tenant, seed, count: sizes.apiClients, now, problems }),
  blank: ({ id, made, now }) => ({
    clientId: id,
    name: `Integration ${made}`,
    roleName: 'Compliance Reader',
    secretExpirationDate: now + 180 * DAY,
    createdAt: now,
    raw: {},
  }),
  render: renderClient,
})

export const apiClients = paginatedList('api-clients', 'Api_ApiClients_Read', list)
