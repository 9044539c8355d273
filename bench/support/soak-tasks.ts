import type { Pace } from './fast-clock.ts'

export interface SoakDaemonTask {
  readonly config: string
  readonly pace: Pace
}

export interface SoakSimulatorTask {
  readonly pace: Pace
  readonly users: number
}

export interface SimulatorAddress {
  readonly origin: string
  readonly token: string
}
