import { type Detector, DetectorError } from '../detection/detector.js'

/** The detector of a process that has not the role: pictures are shown, never judged. */
export function openNoDetector(): Detector {
  return {
    detect: () => Promise.reject(new DetectorError('unavailable', 'this process does not detect')),
    ready: () => false,
    close: async () => {},
  }
}
