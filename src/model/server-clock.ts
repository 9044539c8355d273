/** The time of one tenant's server, as far as answers received in this process confirm it. */
export interface ServerClock {
  /**
   * The newest confirmed server time, advanced by the monotonic time since its receipt, in milliseconds since the epoch;
   * null while no answer confirmed one.
   */
  now(): number | null
}
