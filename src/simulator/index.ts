export type { EffectKind, FaultEffect } from './faults/effect.ts'
export type { ActiveFault, Fault, FaultMatch, FaultTable } from './faults/table.ts'
export type { LifeEvent } from './life.ts'
export type { LifeRates, SimulatorOptions, TenantSizes } from './options.ts'
export type { CursorKind, ErrorShape, PerFeed, Readings, ReadingsInput, TimestampStyle } from './readings.ts'
export { defaultReadings } from './readings.ts'
export { permissionCodes, type ResourceName } from './resources/index.ts'
export type { TokenName } from './seed/tokens.ts'
export { tokenNames } from './seed/tokens.ts'
export type { RequestHook } from './server/api-handler.ts'
export type { Envelope } from './server/envelope.ts'
export type { ApiClient, ApiDocument, ApiRole, ApiSettings, ApiUser } from './server/render.ts'
export type { RequestLog, RequestPredicate, RequestRecord } from './server/request-log.ts'
export type { ChangeableReadings, LiveOptions, Simulator } from './simulator.ts'
export { describeSimulator } from './simulator.ts'
export { startSimulator } from './start.ts'
export type {
  ApiClientFields,
  DocumentFields,
  RoleFields,
  Selection,
  SettingsFields,
  TenantControl,
  UserFields,
} from './tenant-control.ts'
export type { TenantState } from './tenant-state.ts'
export type { ClientCredentials } from './tokens.ts'
export type { Permission, PermissionCode, TenantName } from './truth.ts'
export type { Violation, ViolationKind } from './violations.ts'
