import { defineConfig } from 'vitest/config'
import { base, robustness } from './vitest.config.ts'

export default defineConfig({ test: { ...base, setupFiles: [...base.setupFiles], include: robustness } })
