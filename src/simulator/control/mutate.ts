import { resourceNamed, resourceNames } from '../resources/index.ts'
import type { Simulator } from '../simulator.ts'
import { tenantNames } from '../truth.ts'
import type { Members } from './input.ts'
import { asMembers, asOneOf, ControlError, onlyMembers } from './input.ts'

/** Changes a tenant's data: `{tenant?, resource, op: add | update | remove, id?, fields?}`. */
export function mutate(simulator: Simulator, body: Members): unknown {
  onlyMembers(body, ['tenant', 'resource', 'op', 'id', 'fields'], 'The body')
  const tenant = asOneOf(body['tenant'] ?? 'primary', tenantNames, 'tenant')
  const resource = asOneOf(body['resource'], resourceNames, 'resource')
  const op = asOneOf(body['op'], ['add', 'update', 'remove'], 'op')
  const fields = asMembers(body['fields'] ?? {}, 'fields')
  const { add, update, remove } = resourceNamed(resource).operations(simulator.tenant(tenant))
  const id = String(body['id'])
  try {
    if (op === 'update') return { record: update(id, fields) }
    if (op === 'add' && add !== undefined) return { record: add(fields) }
    if (op === 'remove' && remove !== undefined) return { removed: remove(id) }
  } catch (error) {
    if (error instanceof RangeError) throw new ControlError(404, error.message)
    throw error
  }
  throw new ControlError(400, `${resource} cannot be ${op === 'add' ? 'added' : 'removed'}`)
}
