import type { Programs } from './programs.ts'
import type { Tenant } from './tenant.ts'

export interface Options {
  /** Numbers of users of the large tenant. */
  readonly users: readonly number[]
  readonly rounds: number
  /** Tenants of the fleet. */
  readonly tenants: number
  /** How long the fleet is measured after it is ready. */
  readonly minutes: number
}

export interface Context {
  readonly options: Options
  readonly programs: Programs
  readonly tenant: Tenant
  /** For databases; deleted at the end. */
  readonly folder: string
}

export interface Benchmark {
  readonly name: string
  readonly about: string
  /** Returns tables in Markdown. */
  run(context: Context): Promise<string>
}
