import type { Permission, PermissionCode } from '../truth.ts'

/** Module, function and action of each permission; the code is these three joined. */
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

/** The permission catalogue of every tenant: `codes`, which gate endpoints, and others. */
export function seedPermissions(codes: readonly PermissionCode[]): Permission[] {
  const known = new Set(catalogue.map((parts) => parts.join('_')))
  const further = codes.filter((code) => !known.has(code)).map((code) => code.split('_'))
  return [...catalogue, ...further].map(([module = '', fn = '', name = ''], index) => ({
    permissionId: 11 + index * 2,
    name,
    module,
    function: fn,
    code: `${module}_${fn}_${name}`,
  }))
}
