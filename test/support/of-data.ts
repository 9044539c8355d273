import type { FaultEffect } from '../../src/simulator/index.ts'

/** A fault that changes the data of an answer. */
export function ofData<Data>(change: (data: Data) => unknown): FaultEffect {
  return { kind: 'transform', transform: (envelope) => ({ ...envelope, data: change(envelope.data as Data) }) }
}
