import { startSimulator } from '../../src/simulator/index.ts'
import { fastClock, type Pace } from '../support/fast-clock.ts'

interface Task {
  readonly pace: Pace
  readonly users: number
}

export interface SimulatorAddress {
  readonly origin: string
  readonly token: string
}

/** As many join as leave, so that a database that grows shows a leak. */
const lifeRates = { usersJoining: 0.3, usersLeaving: 0.3, documentsUploaded: 0.2, documentsDeleted: 0.2 }

/** The reference tenant API, changing, on a fast clock. */
const { pace, users } = JSON.parse(process.argv[2] ?? '') as Task
const { now } = fastClock(pace)
const sizes = { users, documents: Math.ceil(users / 2) }
const simulator = await startSimulator({ clock: now, sizes, lifeRates, liveEveryMs: 500, controlPort: null })
process.send?.({ origin: simulator.baseUrl, token: simulator.tokens.reader } satisfies SimulatorAddress)
process.on('SIGTERM', () => void simulator.close().then(() => process.exit()))
