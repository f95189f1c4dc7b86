/** What a G-code file says about itself. Every key is absent where the file does not say it, or says it unreadably. */
export interface GCodeMetadata {
  readonly slicer?: string
  readonly slicer_version?: string
  /** Position of the first command's first byte. */
  readonly gcode_start_byte?: number
  /** Position after the last command's line. */
  readonly gcode_end_byte?: number
  readonly layer_count?: number
  /** Millimetres, as all heights and diameters. */
  readonly object_height?: number
  /** Seconds. */
  readonly estimated_time?: number
  readonly nozzle_diameter?: number
  readonly layer_height?: number
  readonly first_layer_height?: number
  /** Degrees Celsius, as all temperatures. */
  readonly first_layer_extr_temp?: number
  readonly first_layer_bed_temp?: number
  readonly chamber_temp?: number
  readonly filament_name?: string
  readonly filament_type?: string
  /** Millimetres of all filaments together. */
  readonly filament_total?: number
  /** Grams of all filaments together. */
  readonly filament_weight_total?: number
}
