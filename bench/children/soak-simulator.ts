import { startSimulator } from '../../src/simulator/index.ts'
import { fastClock } from '../support/fast-clock.ts'
import type { SimulatorAddress, SoakSimulatorTask } from '../support/soak-tasks.ts'

/** As many come as go, so that only what piles up makes the database grow. */
const lifeRates = { usersJoining: 0.3, usersLeaving: 0.3, documentsUploaded: 0.2, documentsDeleted: 0.2 }

/** The reference tenant API, whose life goes on, on a clock that runs fast. */
const { pace, users } = JSON.parse(process.argv[2] ?? '') as SoakSimulatorTask
const { now } = fastClock(pace)
const sizes = { users, documents: Math.ceil(users / 2) }
const simulator = await startSimulator({ clock: now, sizes, lifeRates, liveEveryMs: 500, controlPort: null })
process.send?.({ origin: simulator.baseUrl, token: simulator.tokens.reader } satisfies SimulatorAddress)
process.on('SIGTERM', () => void simulator.close().then(() => process.exit()))
