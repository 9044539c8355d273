import type { Shown } from './fields.ts'

export type { Envelope, FaultEffect } from './faults.ts'
export type { CursorKind, ReadingsInput } from './readings.ts'
export type { RequestRecord } from './requests.ts'
export { type PermissionCode, permissionCodes, type TokenName, tokenNames } from './seed-access.ts'
export { createService, type Service, type ServiceOptions } from './simulator.ts'
export { describeSimulator, type Simulator, type SimulatorOptions, startSimulator } from './start.ts'
export type { Tenant, TenantSizes } from './tenant.ts'
export type ApiUser = Shown<'users'>
