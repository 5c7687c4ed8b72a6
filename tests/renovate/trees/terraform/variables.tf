variable "talos_version" {
  description = "The release of Talos"
  type        = string
  default     = "v1.12.9"
}
