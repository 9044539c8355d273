import fc from 'fast-check'

/** The same cases in every run; `FAST_CHECK_SEED=n npm test` tries others. */
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_260_301) })
