import { SyncError } from '../../../src/model/errors.ts'

/** The SyncError that a call ends with. */
export async function caught(call: Promise<unknown>): Promise<SyncError> {
  try {
    await call
  } catch (error) {
    if (error instanceof SyncError) return error
    throw error
  }
  throw new Error('The call did not fail')
}
