import type { Simulator } from '../simulator.ts'
import type { TenantControl } from '../tenant-control.ts'
import type { Permission, ResourceName } from '../truth.ts'
import { resourceNames, tenantNames } from '../truth.ts'
import type { Members } from './input.ts'
import { asMembers, asOneOf, asText, ControlError, onlyMembers } from './input.ts'

interface Operations {
  readonly add?: (fields: Members) => unknown
  readonly update: (id: unknown, fields: Members) => unknown
  readonly remove?: (id: unknown) => unknown
}

function operationsOf(control: TenantControl, resource: ResourceName): Operations {
  switch (resource) {
    case 'users':
      return {
        add: (fields) => control.addUser(fields),
        update: (id, fields) => control.updateUser(Number(id), fields),
        remove: (id) => control.removeUser(Number(id)),
      }
    case 'documents':
      return {
        add: (fields) => control.addDocument(fields),
        update: (id, fields) => control.updateDocument(asText(id, 'id'), fields),
        remove: (id) => control.removeDocument(asText(id, 'id')),
      }
    case 'api-clients':
      return {
        add: (fields) => control.addApiClient(fields),
        update: (id, fields) => control.updateApiClient(asText(id, 'id'), fields),
        remove: (id) => control.removeApiClient(asText(id, 'id')),
      }
    case 'roles':
      return {
        add: (fields) => control.addRole(fields),
        update: (id, fields) => control.updateRole(Number(id), fields),
        remove: (id) => control.removeRole(Number(id)),
      }
    case 'permissions':
      return {
        add: (fields) =>
          control.addPermission({ ...(fields as Partial<Permission>), code: asText(fields['code'], 'code') }),
        update: (id, fields) => control.updatePermission(Number(id), fields),
        remove: (id) => control.removePermission(Number(id)),
      }
    case 'authentication-settings':
      return { update: (_id, fields) => control.setSettings(fields) }
    default:
      return resource satisfies never
  }
}

/** Changes a tenant's data: `{tenant?, resource, op: add | update | remove, id?, fields?}`. */
export function mutate(simulator: Simulator, body: Members): unknown {
  onlyMembers(body, ['tenant', 'resource', 'op', 'id', 'fields'], 'The body')
  const tenant = asOneOf(body['tenant'] ?? 'primary', tenantNames, 'tenant')
  const resource = asOneOf(body['resource'], resourceNames, 'resource')
  const op = asOneOf(body['op'], ['add', 'update', 'remove'], 'op')
  const fields = asMembers(body['fields'] ?? {}, 'fields')
  const { add, update, remove } = operationsOf(simulator.tenant(tenant), resource)
  try {
    if (op === 'update') return { record: update(body['id'], fields) }
    if (op === 'add' && add !== undefined) return { record: add(fields) }
    if (op === 'remove' && remove !== undefined) return { removed: remove(body['id']) }
  } catch (error) {
    if (error instanceof RangeError) throw new ControlError(404, error.message)
    throw error
  }
  throw new ControlError(400, `${resource} cannot be ${op === 'add' ? 'added' : 'removed'}`)
}
