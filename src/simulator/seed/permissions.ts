import type { Permission } from '../truth.ts'

/** Module, function and action of each permission; the code is these three joined. Only those with module `Api` gate endpoints. */
const catalogue = [
  ['Api', 'Users', 'Read'],
  ['Api', 'Users', 'Create'],
  ['Api', 'Roles', 'Read'],
  ['Api', 'AuthSettings', 'Read'],
  ['Api', 'ApiClients', 'Read'],
  ['Api', 'Documents', 'Read'],
  ['Portal', 'Dashboard', 'Read'],
  ['Portal', 'Documents', 'Upload'],
  ['Portal', 'Documents', 'Delete'],
  ['Portal', 'Users', 'Invite'],
  ['Portal', 'Roles', 'Manage'],
  ['Reports', 'Export', 'Create'],
] as const

/** The permission catalogue of every tenant. */
export function seedPermissions(): Permission[] {
  return catalogue.map(([module, fn, name], index) => ({
    permissionId: 11 + index * 2,
    name,
    module,
    function: fn,
    code: `${module}_${fn}_${name}`,
  }))
}
